/** Random policies around the nights on which clocks change, compared with an oracle that goes minute by minute. */
import { assert, it } from "@effect/vitest"
import { CallingDays, CallingHours, DailyLimit, NumberLimits, RecallGap, Timetable } from "@outdial/core"
import { Arbitrary, DateTime, Record, Schema } from "effect"
import { describe } from "vitest"
import { offset } from "../../support/RuntimeZones.ts"
import * as SchedulingOracle from "../../support/SchedulingOracle.ts"

/** Zones and an instant near which each has something odd. */
const places = [
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Antarctica/Troll", "2026-03-29T01:00:00Z"],
  ["Asia/Beirut", "2026-03-28T22:00:00Z"],
  ["America/Havana", "2025-11-02T05:00:00Z"],
  ["America/Santiago", "2026-04-05T03:00:00Z"],
  // The clock goes from 00:01 back to 23:01, so that two dates occur twice.
  ["America/St_Johns", "2010-11-07T02:31:00Z"],
  // A date that never was.
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["Pacific/Chatham", "2026-04-04T14:00:00Z"],
  ["Asia/Kolkata", "2027-12-31T18:30:00Z"],
  ["UTC", "2028-02-29T00:00:00Z"]
] as const

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const list = <A extends Schema.Top>(item: A, most: number) => Schema.Array(item).check(Schema.isMaxLength(most))

/** Half hours, so that the edges of windows and of clock changes often meet. */
const Window = Schema.Struct({ start: int(0, 47), end: int(0, 48) })
const Day = list(Window, 2)

const Seed = Schema.Struct({
  place: int(0, places.length - 1),
  minutes: int(-2880, 2880),
  others: list(int(0, places.length - 1), 2),
  hours: Schema.NullOr(Schema.Struct({ mon: Day, tue: Day, wed: Day, thu: Day, fri: Day, sat: Day, sun: Day })),
  excluded: list(int(-2, 3), 2),
  gap: int(0, 30),
  lastDial: Schema.NullOr(int(-60, 1000)),
  limits: list(Schema.Struct({ max: int(0, 6), hours: int(1, 48) }), 2),
  dials: list(int(-600, 3000), 6),
  account: Schema.NullOr(Schema.Struct({ place: int(0, places.length - 1), limit: int(0, 3), placed: int(0, 3) }))
})

const placeOf = (index: number) => places[index] ?? places[0]
const time = (halfHours: number) =>
  `${String(Math.floor(halfHours / 2)).padStart(2, "0")}:${halfHours % 2 === 0 ? "00" : "30"}`

const windows = (day: typeof Day.Type) => day.map(({ end, start }) => ({ start: time(start), end: time(end) }))

const scenario = Arbitrary.map(Arbitrary.schema(Seed), (seed) => {
  const [zone, about] = placeOf(seed.place)
  const now = Date.parse(about) + seed.minutes * SchedulingOracle.minute
  const one: SchedulingOracle.Case = {
    zones: [zone, ...seed.others.map((index) => placeOf(index)[0])],
    hours: seed.hours === null ? null : Record.map(seed.hours, windows),
    excludedDates: seed.excluded.map((days) => new Date(now + days * 86_400_000).toISOString().slice(0, 10)),
    gapSeconds: seed.gap * 1800,
    lastDialAt: seed.lastDial === null ? undefined : now - seed.lastDial * SchedulingOracle.minute,
    limits: seed.limits.map(({ hours, max }) => ({ max, windowSeconds: hours * 3600 })),
    dials: seed.dials.map((minutes) => now - minutes * SchedulingOracle.minute),
    account: seed.account === null
      ? null
      : { zone: placeOf(seed.account.place)[0], limit: seed.account.limit, placedToday: seed.account.placed }
  }
  return { now, one }
})

/** How far the oracle looks: over the clock change, and two days more. */
const span = 4 * 86_400_000

const instant = (at: number) => DateTime.makeUnsafe(at)

const hoursOf = ({ excludedDates, hours, zones }: SchedulingOracle.Case): CallingHours.CallingHours => ({
  days: CallingDays.make({ hours, excludedDates }),
  zones,
  offset
})

const earliest = (one: SchedulingOracle.Case, now: DateTime.Utc) => {
  const hours = hoursOf(one)
  const lastDialAt = one.lastDialAt === undefined ? undefined : instant(one.lastDialAt)
  const today = { limit: null, placedToday: 0, zone: "UTC", ...one.account, offset }
  return Timetable.earliest([
    { code: "calling_hours", nextAllowed: (at) => CallingHours.nextOpen(hours, at) },
    { code: "recall_gap", nextAllowed: (at) => RecallGap.nextAllowed(one.gapSeconds, lastDialAt, at) },
    { code: "number_limit", nextAllowed: (at) => NumberLimits.nextAllowed(one.limits, one.dials.map(instant), at) },
    { code: "daily_limit", nextAllowed: (at) => DailyLimit.nextAllowed(today, now, at) }
  ], now)
}

describe("the rules about time, compared with an oracle that goes minute by minute", () => {
  it.prop("allow the first instant that no rule forbids, and name the rules that forbade the one before", [
    scenario
  ], ([{ now, one }]) => {
    const due = earliest(one, instant(now))
    const first = SchedulingOracle.firstAllowed(one, now, now + span)
    assert.deepStrictEqual(due.blockedNow, SchedulingOracle.violated(one, now, false))
    if (first === undefined) {
      assert.isTrue(due.dueAt === undefined || due.dueAt.epochMilliseconds > now + span)
      assert.isNotEmpty(due.binding)
      return
    }
    assert.deepStrictEqual(due, {
      dueAt: instant(first.at),
      reason: first.binding[0],
      binding: first.binding,
      blockedNow: SchedulingOracle.violated(one, now, false)
    })
  }, { arbitrary: { runs: 400 } })

  it.prop("open and close a zone when its clock says so", [scenario], ([{ now, one }]) => {
    const hours = hoursOf(one)
    assert.strictEqual(CallingHours.isOpen(hours, instant(now)), SchedulingOracle.isOpen(one, now))
    let closes = now
    while (closes < now + span && SchedulingOracle.isOpen(one, closes)) closes += SchedulingOracle.minute
    const found = CallingHours.closesAt(hours, instant(now))?.epochMilliseconds ?? Infinity
    if (closes < now + span) assert.strictEqual(found, closes)
    else assert.isAtLeast(found, closes)
  }, { arbitrary: { runs: 200 } })

  it.prop(
    "start a day at the first instant of its date, and the next one after its last",
    [scenario],
    ([{ now, one }]) => {
      const zone = one.zones[0] ?? "UTC"
      const today = SchedulingOracle.localTime(zone, now).date
      let start = now - 3 * 86_400_000
      while (SchedulingOracle.localTime(zone, start).date < today) start += SchedulingOracle.minute
      assert.strictEqual(DailyLimit.dayStart(zone, instant(now), offset)?.epochMilliseconds, start)
      let next = now
      while (SchedulingOracle.localTime(zone, next).date <= today) next += SchedulingOracle.minute
      const full = { limit: 1, placedToday: 1, zone, offset }
      assert.strictEqual(DailyLimit.nextAllowed(full, instant(now), instant(now))?.epochMilliseconds, next)
    },
    { arbitrary: { runs: 100 } }
  )
})
