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
 * axe finds nothing, wide and narrow, in light and in dark; at 360 pixels the page does not scroll sideways; and it has not complained. Takes its
 * pictures under `name`.
 */
export const isSound = Effect.fnUntraced(function*(page: Page, name: string) {
  const wide = page.viewportSize() ?? narrow
  for (const viewport of wide.width === narrow.width ? [wide] : [wide, narrow]) {
    yield* Effect.promise(() => page.setViewportSize(viewport))
    yield* isAccessible(page, `${name} ${viewport.width} light`)
  }
  assert.isAtMost(yield* Effect.promise(() => Browser.contentWidth(page)), narrow.width, name)
  yield* Effect.promise(() => page.emulateMedia({ colorScheme: "dark" }))
  yield* isAccessible(page, `${name} ${narrow.width} dark`, contrast)
  yield* Effect.promise(() => page.setViewportSize(wide))
  if (wide.width !== narrow.width) yield* isAccessible(page, `${name} ${wide.width} dark`, contrast)
  yield* Effect.promise(() => page.emulateMedia({ colorScheme: "light" }))
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
