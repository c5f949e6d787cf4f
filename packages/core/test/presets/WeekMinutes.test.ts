import { assert, describe, it } from "@effect/vitest"
import type { CallingHours } from "../../src/domain/Policy.ts"
import * as WeekMinutes from "../../src/presets/WeekMinutes.ts"

const window = (text: string) => {
  const [start = "", end = ""] = text.split("-")
  return { start, end }
}

/** `{ mon: "09:00-12:00 13:00-20:00" }` as calling hours. */
const hours = (days: Readonly<Record<string, string>>): CallingHours =>
  Object.fromEntries(Object.entries(days).map(([day, windows]) => [day, windows.split(" ").map(window)]))

const count = (week: WeekMinutes.WeekMinutes) => week.filter((minute) => minute !== 0).length

describe("WeekMinutes", () => {
  it.each([
    ["a working day", { mon: "09:00-17:00" }, 8 * 60],
    ["a window up to midnight", { mon: "20:00-24:00" }, 4 * 60],
    ["a window past midnight", { mon: "20:00-02:00" }, 6 * 60],
    ["one past the end of the week", { sun: "23:00-01:00" }, 2 * 60],
    ["the same time twice, which is a whole day", { mon: "09:00-09:00" }, 24 * 60],
    ["midnight twice", { mon: "00:00-00:00" }, 24 * 60],
    ["windows that overlap", { mon: "09:00-12:00 11:00-13:00" }, 4 * 60],
    ["an evening that runs into the next day's window", { mon: "22:00-10:00", tue: "09:00-11:00" }, 13 * 60]
  ])("counts %s", (_, days, minutes) => {
    assert.strictEqual(count(WeekMinutes.of(hours(days))), minutes)
  })

  it.each([
    ["hours within others", { mon: "10:00-12:00" }, { mon: "09:00-20:00" }, { mon: "10:00-12:00" }],
    ["a lunch break", { mon: "09:00-20:00" }, { mon: "10:00-13:00 14:00-21:00" }, { mon: "10:00-13:00 14:00-20:00" }],
    ["a weekday that one is closed on", { mon: "09:00-10:00", sun: "09:00-10:00" }, { mon: "09:00-10:00" }, {
      mon: "09:00-10:00"
    }],
    ["nothing in common", { mon: "09:00-10:00" }, { mon: "10:00-11:00" }, {}],
    ["two evenings past midnight", { mon: "20:00-02:00" }, { mon: "22:00-04:00" }, { mon: "22:00-02:00" }],
    ["an evening past midnight, and two days", { mon: "20:00-02:00" }, { mon: "00:00-24:00", tue: "00:00-24:00" }, {
      mon: "20:00-02:00"
    }],
    ["the end of the week", { sun: "20:00-02:00" }, { sun: "21:00-24:00", mon: "00:00-01:00" }, {
      sun: "21:00-01:00"
    }],
    ["whole days", { mon: "09:00-09:00" }, { mon: "09:00-09:00" }, { mon: "09:00-09:00" }],
    ["only what is past midnight, which is left out", { mon: "20:00-10:00" }, { tue: "08:00-21:00" }, {}]
  ])("joins %s", (_, one, other, both) => {
    assert.deepStrictEqual(WeekMinutes.inBoth(hours(one), hours(other)), hours(both))
    assert.deepStrictEqual(WeekMinutes.inBoth(hours(other), hours(one)), hours(both))
  })

  it("leaves hours as they are where the others are any time", () => {
    const own = hours({ mon: "09:00-12:00", fri: "20:00-02:00" })
    assert.deepStrictEqual(WeekMinutes.inBoth(own, null), own)
    assert.deepStrictEqual(WeekMinutes.inBoth(null, own), own)
  })

  it("describes a span", () => {
    assert.deepStrictEqual(
      [{ from: 540, to: 600 }, { from: 1380, to: 1500 }, { from: 1440, to: 1500 }].map((span) =>
        WeekMinutes.describe(WeekMinutes.timesOf(6, span))
      ),
      ["Sunday 09:00-10:00", "Sunday 23:00-24:00, Monday 00:00-01:00", "Monday 00:00-01:00"]
    )
  })
})
