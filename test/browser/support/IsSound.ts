/** What holds for every page as it stands. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"

const twoFrames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

/** axe finds nothing in light and in dark, and the page has not complained. Takes its pictures under `name`. */
export const isSound = Effect.fnUntraced(function*(page: Page, name: string) {
  for (const colorScheme of ["light", "dark"] as const) {
    yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
    // Until the colours have changed everywhere, also of what is drawn meanwhile.
    const problems = yield* Effect.promise(() => page.evaluate(twoFrames)).pipe(
      Effect.andThen(Browser.accessibilityProblems(page)),
      Effect.repeat({ until: (problems) => problems.length === 0, times: 2 })
    )
    assert.deepStrictEqual(problems, [], `${name} ${colorScheme}`)
  }
  yield* Browser.picture(page, name)
  assert.deepStrictEqual(Browser.complaints(page), [], name)
})
