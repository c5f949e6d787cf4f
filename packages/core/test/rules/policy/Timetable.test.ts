import { assert, it } from "@effect/vitest"
import { Timetable } from "@outdial/core"
import { DateTime } from "effect"
import { describe } from "vitest"

const now = DateTime.makeUnsafe("2026-06-10T12:00:00Z")
const after = (hours: number) => DateTime.add(now, { hours })

/** Allows nothing before an instant. */
const from = <const Code extends string>(code: Code, hours: number): Timetable.TimeRule<Code> => ({
  code,
  nextAllowed: (at) => DateTime.max(at, after(hours))
})

/** Allows nothing at all. */
const never = <const Code extends string>(code: Code): Timetable.TimeRule<Code> => ({
  code,
  nextAllowed: () => undefined
})

/** Allows one hour of every so many, the one after `hour` from now on. */
const hourly = <const Code extends string>(code: Code, hour: number, every: number): Timetable.TimeRule<Code> => ({
  code,
  nextAllowed: (at) => {
    const hours = (at.epochMilliseconds - now.epochMilliseconds) / 3_600_000
    const turn = Math.floor((hours - hour) / every)
    if (hours < hour + turn * every + 1) return at
    return after(hour + (turn + 1) * every)
  }
})

describe("Timetable", () => {
  it("is due now when every rule allows it", () => {
    const due = { dueAt: now, reason: undefined, binding: [], blockedNow: [] }
    assert.deepStrictEqual(Timetable.earliest([from("gap", 0), from("hours", -1)], now), due)
    assert.deepStrictEqual(Timetable.earliest([], now), due)
  })

  it("waits for the rule that takes longest, and names all that forbid it now", () => {
    assert.deepStrictEqual(Timetable.earliest([from("gap", 2), from("hours", 0), from("limit", 5)], now), {
      dueAt: after(5),
      reason: "limit",
      binding: ["limit"],
      blockedNow: ["gap", "limit"]
    })
  })

  it("names the first in order of those that end together", () => {
    assert.deepStrictEqual(Timetable.earliest([from("gap", 1), from("hours", 5), from("limit", 5)], now), {
      dueAt: after(5),
      reason: "hours",
      binding: ["hours", "limit"],
      blockedNow: ["gap", "hours", "limit"]
    })
  })

  it("continues until rules that move each other agree", () => {
    // Hours 2, 5, 8, 11 … and hours 1, 6, 11 …
    assert.deepStrictEqual(Timetable.earliest([hourly("three", 2, 3), hourly("five", 1, 5)], now), {
      dueAt: after(11),
      reason: "three",
      binding: ["three", "five"],
      blockedNow: ["three", "five"]
    })
  })

  it("is never due when a rule never allows it, whatever forbids it now", () => {
    assert.deepStrictEqual(Timetable.earliest([from("gap", 1), never("limit"), never("day")], now), {
      dueAt: undefined,
      reason: "limit",
      binding: ["limit", "day"],
      blockedNow: ["gap", "limit", "day"]
    })
  })

  it("is never due when rules allow it in turns, but not together", () => {
    const { binding, dueAt } = Timetable.earliest([hourly("even", 0, 2), hourly("odd", 1, 2)], now)
    assert.isUndefined(dueAt)
    assert.isNotEmpty(binding)
  })

  it("is due at the horizon, and never beyond it", () => {
    const horizon = 366 * 24
    assert.deepStrictEqual(Timetable.earliest([from("gap", horizon)], now).dueAt, after(horizon))
    assert.deepStrictEqual(Timetable.earliest([from("gap", horizon + 1 / 3600)], now), {
      dueAt: undefined,
      reason: "gap",
      binding: ["gap"],
      blockedNow: ["gap"]
    })
  })
})
