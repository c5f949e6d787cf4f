/** What holds for every page as it stands. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"

const twoFrames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

/** All that differs between light and dark. */
const contrast = ["color-contrast", "link-in-text-block"]

const narrow = { width: 360, height: 740 }

/**
 * axe finds nothing, wide in light and narrow in dark; at 360 pixels the page does not scroll sideways; and it has not complained. With `isWhole`,
 * contrast is looked at in dark when wide and in light when narrow, too. Takes its pictures under `name`.
 */
export const isSound = Effect.fnUntraced(function*(page: Page, name: string, isWhole = false) {
  const wide = page.viewportSize() ?? narrow
  const see = Effect.fnUntraced(function*(
    { colorScheme, rules, viewport }: {
      readonly colorScheme: "dark" | "light"
      readonly viewport: typeof narrow
      readonly rules?: ReadonlyArray<string>
    }
  ) {
    yield* Effect.promise(async () => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
    })
    yield* isAccessible(page, `${name} ${viewport.width} ${colorScheme}`, rules)
  })
  yield* see({ viewport: wide, colorScheme: "light" })
  if (isWhole) yield* see({ viewport: wide, colorScheme: "dark", rules: contrast })
  yield* see({ viewport: narrow, colorScheme: "dark" })
  if (isWhole) yield* see({ viewport: narrow, colorScheme: "light", rules: contrast })
  assert.isAtMost(yield* Effect.promise(() => Browser.contentWidth(page)), narrow.width, name)
  yield* Effect.promise(async () => {
    await page.setViewportSize(wide)
    await page.emulateMedia({ colorScheme: "light" })
  })
  yield* Browser.picture(page, name)
  assert.deepStrictEqual(Browser.complaints(page), [], name)
})

/** After the colours have changed everywhere, also of what is drawn meanwhile. */
const isAccessible = Effect.fnUntraced(function*(page: Page, name: string, rules?: ReadonlyArray<string>) {
  const problems = yield* Effect.promise(() => page.evaluate(twoFrames)).pipe(
    Effect.andThen(Browser.accessibilityProblems(page, rules)),
    Effect.repeat({ until: (problems) => problems.length === 0, times: 4 })
  )
  assert.deepStrictEqual(problems, [], name)
})
