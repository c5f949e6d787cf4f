import { assert, it } from "@effect/vitest"
import { RecallGap } from "@outdial/core"
import { DateTime } from "effect"
import { describe } from "vitest"

const instant = (text: string) => DateTime.makeUnsafe(text)

/** What it is, the gap, the last dial, from when on, and when the number may be dialed. */
const rows: ReadonlyArray<readonly [string, number, string | undefined, string, string]> = [
  ["a number that was never dialed at once", 3600, undefined, "2026-06-10T12:00:00.000Z", "2026-06-10T12:00:00.000Z"],
  [
    "it at its end, from 1 ms before",
    3600,
    "2026-06-10T11:00:00Z",
    "2026-06-10T11:59:59.999Z",
    "2026-06-10T12:00:00.000Z"
  ],
  ["it exactly at its end", 3600, "2026-06-10T11:00:00Z", "2026-06-10T12:00:00.000Z", "2026-06-10T12:00:00.000Z"],
  ["it at once without a gap", 0, "2026-06-10T12:00:00Z", "2026-06-10T12:00:00.000Z", "2026-06-10T12:00:00.000Z"],
  [
    "it after the last dial, when a clock is ahead",
    0,
    "2026-06-10T12:00:05Z",
    "2026-06-10T12:00:00.000Z",
    "2026-06-10T12:00:05.000Z"
  ],
  [
    "it a day of elapsed time later, over leap day",
    86_400,
    "2028-02-28T12:00:00Z",
    "2028-02-28T13:00:00.000Z",
    "2028-02-29T12:00:00.000Z"
  ]
]

describe("RecallGap", () => {
  for (const [what, seconds, lastDialAt, at, allowed] of rows) {
    it(`allows ${what}`, () => {
      const last = lastDialAt === undefined ? undefined : instant(lastDialAt)
      assert.strictEqual(DateTime.formatIso(RecallGap.nextAllowed(seconds, last, instant(at))), allowed)
    })
  }
})
