import { assert, it } from "@effect/vitest"
import { NumberLimits, type Policy } from "@outdial/core"
import { DateTime } from "effect"
import { describe } from "vitest"

/** Hours and minutes of one day, and of the next from 24:00 on. */
const instant = (time: string) => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number)
  return DateTime.add(DateTime.makeUnsafe("2026-06-10T00:00:00Z"), { hours, minutes, milliseconds: seconds * 1000 })
}

const hours = (max: number, hours: number): Policy.NumberLimit => ({ max, windowSeconds: hours * 3600 })

/** What it is, the limits, the dials, from when on, and when the number may be dialed; `never` when it may not. */
const rows: ReadonlyArray<
  readonly [string, ReadonlyArray<Policy.NumberLimit>, ReadonlyArray<string>, string, string]
> = [
  ["a number without limits at once", [], ["11:00", "11:30"], "12:00", "12:00"],
  ["a number that was never dialed at once", [hours(1, 24)], [], "12:00", "12:00"],
  ["the last dial there is room for", [hours(2, 24)], ["11:00"], "12:00", "12:00"],
  ["a dial when the oldest has left, from 1 ms before", [hours(2, 24)], ["10:00", "11:00"], "33:59:59.999", "34:00"],
  ["a dial exactly when the oldest has left", [hours(2, 24)], ["10:00", "11:00"], "34:00", "34:00"],
  ["a dial right at the last one not at all", [hours(1, 1)], ["12:00"], "12:00", "13:00"],
  [
    "a dial after as many have left as there are too many",
    [hours(2, 24)],
    ["08:00", "09:00", "10:00"],
    "12:00",
    "33:00"
  ],
  ["the same whatever the order of the dials", [hours(2, 24)], ["10:00", "08:00", "09:00"], "12:00", "33:00"],
  ["a dial when both limits have room", [hours(1, 1), hours(2, 24)], ["10:00", "11:30"], "12:00", "34:00"],
  [
    "a dial when the second limit has closed what the first opened",
    [hours(1, 2), hours(1, 3)],
    ["10:00"],
    "11:00",
    "13:00"
  ],
  ["a dial before one that is dated later", [hours(1, 1)], ["12:30"], "12:00", "12:00"],
  ["no dial until one that is dated later has left, too", [hours(1, 1)], ["11:30", "12:30"], "12:00", "13:30"],
  ["none ever with a limit of 0", [hours(3, 24), hours(0, 1)], [], "12:00", "never"]
]

describe("NumberLimits", () => {
  for (const [what, limits, dials, at, allowed] of rows) {
    it(`allows ${what}`, () => {
      assert.deepStrictEqual(
        NumberLimits.nextAllowed(limits, dials.map(instant), instant(at)),
        allowed === "never" ? undefined : instant(allowed)
      )
    })
  }
})
