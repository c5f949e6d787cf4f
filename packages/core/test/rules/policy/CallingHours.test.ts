import { assert, it } from "@effect/vitest"
import { CallingDays, CallingHours, type Policy } from "@outdial/core"
import { DateTime } from "effect"
import { describe } from "vitest"
import { offset } from "../../support/RuntimeZones.ts"

const instant = (text: string) => DateTime.makeUnsafe(text)
const written = (at: DateTime.Utc | undefined) => at === undefined ? "never" : DateTime.formatIso(at)

/** The same windows on every day, written as `09:00-20:00`. */
const daily = (...windows: ReadonlyArray<string>): Policy.CallingHours => {
  const day = windows.map((window) => ({ start: window.slice(0, 5), end: window.slice(6) }))
  return { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day }
}

const hoursIn = (
  zones: ReadonlyArray<string>,
  hours: Policy.CallingHours | null,
  excludedDates: ReadonlyArray<string> = []
): CallingHours.CallingHours => ({ days: CallingDays.make({ hours, excludedDates }), zones, offset })

const newYork = ["America/New_York"]

/** Every date of 400 days from 1 June 2026 on. */
const longHoliday = Array.from(
  { length: 400 },
  (_, days) => DateTime.formatIsoDate(DateTime.add(instant("2026-06-01T00:00:00Z"), { days }))
)

/** What it is, the hours, from when on, and when it opens. */
const openings: ReadonlyArray<readonly [string, CallingHours.CallingHours, string, string]> = [
  [
    "1 ms before it opens",
    hoursIn(["UTC"], daily("09:00-20:00")),
    "2026-06-10T08:59:59.999Z",
    "2026-06-10T09:00:00.000Z"
  ],
  ["at its start", hoursIn(["UTC"], daily("09:00-20:00")), "2026-06-10T09:00:00.000Z", "2026-06-10T09:00:00.000Z"],
  [
    "1 ms before it closes",
    hoursIn(["UTC"], daily("09:00-20:00")),
    "2026-06-10T19:59:59.999Z",
    "2026-06-10T19:59:59.999Z"
  ],
  ["at its end", hoursIn(["UTC"], daily("09:00-20:00")), "2026-06-10T20:00:00.000Z", "2026-06-11T09:00:00.000Z"],
  [
    "1 ms before midnight, up to 24:00",
    hoursIn(["UTC"], daily("22:00-24:00")),
    "2026-06-10T23:59:59.999Z",
    "2026-06-10T23:59:59.999Z"
  ],
  [
    "at midnight, up to 24:00",
    hoursIn(["UTC"], daily("22:00-24:00")),
    "2026-06-11T00:00:00.000Z",
    "2026-06-11T22:00:00.000Z"
  ],
  [
    "at midnight, up to 00:00",
    hoursIn(["UTC"], daily("22:00-00:00")),
    "2026-06-11T00:00:00.000Z",
    "2026-06-11T22:00:00.000Z"
  ],
  [
    "of a whole day and the next",
    hoursIn(["UTC"], { wed: [{ start: "10:00", end: "10:00" }] }),
    "2026-06-11T09:59:59.999Z",
    "2026-06-11T09:59:59.999Z"
  ],
  [
    "after a whole day",
    hoursIn(["UTC"], { wed: [{ start: "10:00", end: "10:00" }] }),
    "2026-06-11T10:00:00.000Z",
    "2026-06-17T10:00:00.000Z"
  ],
  [
    "from Sunday night into Monday",
    hoursIn(["UTC"], { sun: [{ start: "22:00", end: "02:00" }] }),
    "2026-06-15T01:59:59.999Z",
    "2026-06-15T01:59:59.999Z"
  ],
  [
    "on leap day",
    hoursIn(["UTC"], { tue: [{ start: "09:00", end: "10:00" }] }),
    "2028-02-28T12:00:00.000Z",
    "2028-02-29T09:00:00.000Z"
  ],
  [
    "before 1970",
    hoursIn(["UTC"], { thu: [{ start: "09:00", end: "10:00" }] }),
    "1969-12-25T12:00:00.000Z",
    "1970-01-01T09:00:00.000Z"
  ],
  [
    "with windows that overlap, in no order",
    hoursIn(["UTC"], daily("12:00-18:00", "09:00-13:00")),
    "2026-06-10T12:59:59.999Z",
    "2026-06-10T12:59:59.999Z"
  ],
  [
    "without hours, on a date that is excluded",
    hoursIn(["UTC"], null, ["2026-06-10"]),
    "2026-06-10T12:00:00.000Z",
    "2026-06-11T00:00:00.000Z"
  ],
  [
    "without hours, on a date that the zone begins at 01:00",
    hoursIn(["Asia/Beirut"], null, ["2026-03-28"]),
    "2026-03-28T12:00:00.000Z",
    "2026-03-28T22:00:00.000Z"
  ],
  [
    "after a window began on an excluded date",
    hoursIn(["UTC"], daily("22:00-02:00"), ["2026-06-10"]),
    "2026-06-11T01:00:00.000Z",
    "2026-06-11T22:00:00.000Z"
  ],
  [
    "in the window after midnight of its own, too",
    hoursIn(["UTC"], daily("00:30-01:30", "22:00-02:00"), ["2026-06-10"]),
    "2026-06-11T00:00:00.000Z",
    "2026-06-11T00:30:00.000Z"
  ],
  ["with every weekday empty", hoursIn(["UTC"], daily()), "2026-06-10T12:00:00.000Z", "never"],
  ["without any weekday", hoursIn(["UTC"], {}), "2026-06-10T12:00:00.000Z", "never"],
  ["with every date of the horizon excluded", hoursIn(["UTC"], null, longHoliday), "2026-06-10T12:00:00.000Z", "never"],
  ["in a zone that is not known", hoursIn(["UTC", "Mars/Olympus"], null), "2026-06-10T12:00:00.000Z", "never"],
  ["in no zone", hoursIn([], null), "2026-06-10T12:00:00.000Z", "never"],
  [
    "in zones that are never open together",
    hoursIn(["Etc/GMT+6", "Etc/GMT-6"], daily("09:00-20:00")),
    "2026-06-10T12:00:00.000Z",
    "never"
  ],
  [
    "inside the hour that spring leaves out",
    hoursIn(newYork, daily("02:00-03:00")),
    "2026-03-08T06:59:59.999Z",
    "2026-03-09T06:00:00.000Z"
  ],
  [
    "from inside that hour on",
    hoursIn(newYork, daily("02:30-05:00")),
    "2026-03-08T06:59:59.999Z",
    "2026-03-08T07:00:00.000Z"
  ],
  [
    "in the first pass of the hour that autumn repeats",
    hoursIn(newYork, daily("01:30-02:00")),
    "2026-11-01T05:30:00.000Z",
    "2026-11-01T05:30:00.000Z"
  ],
  [
    "between its passes",
    hoursIn(newYork, daily("01:30-02:00")),
    "2026-11-01T06:00:00.000Z",
    "2026-11-01T06:30:00.000Z"
  ],
  [
    "1 ms before its second pass ends",
    hoursIn(newYork, daily("01:30-02:00")),
    "2026-11-01T06:59:59.999Z",
    "2026-11-01T06:59:59.999Z"
  ],
  ["after both", hoursIn(newYork, daily("01:30-02:00")), "2026-11-01T07:00:00.000Z", "2026-11-02T06:30:00.000Z"],
  [
    "on the weekday of a date that never was",
    hoursIn(["Pacific/Apia"], { fri: [{ start: "22:00", end: "03:00" }] }),
    "2011-12-30T09:59:59.999Z",
    "2011-12-30T10:00:00.000Z"
  ]
]

/** What it is, the hours, an instant at which they are open, and when they close. */
const closings: ReadonlyArray<readonly [string, CallingHours.CallingHours, string, string]> = [
  ["at its end", hoursIn(["UTC"], daily("09:00-20:00")), "2026-06-10T09:00:00.000Z", "2026-06-10T20:00:00.000Z"],
  ["after midnight", hoursIn(["UTC"], daily("22:00-02:00")), "2026-06-10T23:00:00.000Z", "2026-06-11T02:00:00.000Z"],
  [
    "at midnight before an excluded date",
    hoursIn(["UTC"], daily("22:00-02:00"), ["2026-06-11"]),
    "2026-06-10T23:00:00.000Z",
    "2026-06-11T00:00:00.000Z"
  ],
  [
    "at the end of the window that follows on it",
    hoursIn(["UTC"], daily("09:00-12:00", "12:00-13:00")),
    "2026-06-10T10:00:00.000Z",
    "2026-06-10T13:00:00.000Z"
  ],
  [
    "when the clock jumps over its end",
    hoursIn(newYork, daily("01:00-02:30")),
    "2026-03-08T06:30:00.000Z",
    "2026-03-08T07:00:00.000Z"
  ],
  [
    "when the clock goes back to before its start",
    hoursIn(newYork, daily("01:30-03:00")),
    "2026-11-01T05:30:00.000Z",
    "2026-11-01T06:00:00.000Z"
  ],
  [
    "in the first of its zones",
    hoursIn(["America/New_York", "Europe/Paris"], daily("09:00-20:00")),
    "2026-06-10T14:00:00.000Z",
    "2026-06-10T18:00:00.000Z"
  ],
  ["never when it is any time", hoursIn(["UTC"], null), "2026-06-10T14:00:00.000Z", "never"],
  [
    "at once where it is closed",
    hoursIn(["UTC"], daily("09:00-20:00")),
    "2026-06-10T21:00:00.000Z",
    "2026-06-10T21:00:00.000Z"
  ],
  [
    "at once in a zone that is not known",
    hoursIn(["Mars/Olympus"], null),
    "2026-06-10T21:00:00.000Z",
    "2026-06-10T21:00:00.000Z"
  ]
]

describe("CallingHours", () => {
  for (const [what, hours, at, opens] of openings) {
    it(`opens ${what}: ${opens}`, () => {
      assert.strictEqual(written(CallingHours.nextOpen(hours, instant(at))), opens)
      assert.strictEqual(CallingHours.isOpen(hours, instant(at)), at === opens)
    })
  }

  for (const [what, hours, at, closes] of closings) {
    it(`closes ${what}: ${closes}`, () => {
      assert.strictEqual(written(CallingHours.closesAt(hours, instant(at))), closes)
    })
  }

  it("names the zones that are not known", () => {
    const hours = hoursIn(["Mars/Olympus", "UTC", "Moon/Tycho"], null)
    assert.deepStrictEqual(CallingHours.unknownZones(hours, instant("2026-06-10T12:00:00Z")), [
      "Mars/Olympus",
      "Moon/Tycho"
    ])
  })

  it("is at any time only without hours and without excluded dates", () => {
    const anyTime = (hours: Policy.CallingHours | null, excludedDates: ReadonlyArray<string>) =>
      CallingDays.make({ hours, excludedDates }).anyTime
    assert.deepStrictEqual(
      [anyTime(null, []), anyTime(null, ["2026-12-25"]), anyTime(daily("00:00-24:00"), [])],
      [true, false, false]
    )
  })

  it("looks as far as the horizon and no farther", () => {
    // Open on one day only, of the dates that are not excluded.
    const open = (date: string) => hoursIn(["UTC"], null, longHoliday.filter((day) => day !== date))
    const from = instant("2026-06-01T00:00:00Z")
    assert.strictEqual(written(CallingHours.nextOpen(open("2027-06-02"), from)), "2027-06-02T00:00:00.000Z")
    assert.strictEqual(written(CallingHours.nextOpen(open("2027-06-03"), from)), "never")
  })
})
