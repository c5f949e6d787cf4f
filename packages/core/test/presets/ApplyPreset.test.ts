import { assert, describe, it } from "@effect/vitest"
import * as Presets from "@outdial/core/presets"
import { Effect, Schema } from "effect"
import * as Limits from "../../src/domain/Limits.ts"
import * as Policy from "../../src/domain/Policy.ts"
import * as PolicyDecoding from "../../src/policy/PolicyDecoding.ts"
import { everyDay, mondayToFriday, mondayToSaturday } from "../../src/presets/Preset.ts"
import * as WeekMinutes from "../../src/presets/WeekMinutes.ts"

const agentId = "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"
const otherId = "0f8fad5b-d9cb-469f-a165-70867728950e"
const day = 24 * 60 * 60

/** A preset that says something of everything that one can. */
const strict: Presets.Preset = {
  id: "strict",
  title: "Strict",
  policy: {
    callingHours: mondayToFriday(["10:00", "18:00"]),
    numberLimits: [{ max: 2, windowSeconds: day }],
    recallGapSeconds: 3600
  },
  notes: [],
  confidence: "derived",
  sources: ["this test"],
  asOf: "2026-11-21"
}

const wide: Policy.PolicyDocument = {
  callingHours: null,
  numberLimits: [],
  recallGapSeconds: 0,
  excludedDates: ["2026-12-25"],
  agents: { [agentId]: { callingHours: null, recallGapSeconds: 0 } }
}

const documents: ReadonlyArray<readonly [string, Policy.PolicyDocument]> = [
  ["one that leaves everything to its default", {}],
  ["one that allows everything", wide],
  ["one that is open past midnight", { ...wide, callingHours: everyDay(["20:00", "10:00"]) }],
  ["one that is stricter already", {
    ...wide,
    callingHours: { wed: [{ start: "11:00", end: "12:00" }] },
    numberLimits: [{ max: 1, windowSeconds: 30 * day }],
    recallGapSeconds: 30 * day
  }],
  ["one with as many limits as there may be", {
    numberLimits: Array.from({ length: Limits.numberLimits }, (_, index) => ({
      max: 20 + index,
      windowSeconds: 100 + 100 * index
    }))
  }]
]

describe("ApplyPreset", () => {
  for (const preset of [...Presets.list(), strict]) {
    it.effect.each(documents)(
      `${preset.id} narrows %s to a policy that lints clean`,
      ([, document]) =>
        Effect.gen(function*() {
          const narrowed = Presets.apply(document, preset)
          assert.deepStrictEqual(yield* PolicyDecoding.decode(narrowed, () => true), narrowed)
          const open = WeekMinutes.of(Policy.complete(narrowed).callingHours)
          const before = WeekMinutes.of(Policy.complete(document).callingHours)
          assert.isTrue(open.every((minute, at) => minute === 0 || before[at] !== 0), "opens what was closed")
          // The dates of holidays are for the owner to add.
          const dates = { excludedDates: ["2026-12-25"] }
          assert.deepStrictEqual(Presets.lint({ ...narrowed, ...dates }, preset), [])
          assert.deepStrictEqual(Presets.apply(narrowed, preset), narrowed)
        })
    )
  }

  it("keeps the stricter of both, and the fields that the preset does not mention", () => {
    assert.deepStrictEqual(
      Presets.apply({
        callingHours: mondayToSaturday(["08:00", "12:00"]),
        numberLimits: [{ max: 3, windowSeconds: day }, { max: 4, windowSeconds: 7 * day }],
        recallGapSeconds: 60,
        dailyLimit: 10,
        timeZone: "Europe/Paris",
        agents: {
          [agentId]: { callingHours: null, recallGapSeconds: 7200 },
          [otherId]: { excludedDates: ["2026-12-25"] }
        }
      }, strict),
      {
        callingHours: mondayToFriday(["10:00", "12:00"]),
        numberLimits: [{ max: 4, windowSeconds: 7 * day }, { max: 2, windowSeconds: day }],
        recallGapSeconds: 3600,
        dailyLimit: 10,
        timeZone: "Europe/Paris",
        agents: {
          [agentId]: { callingHours: mondayToFriday(["10:00", "18:00"]), recallGapSeconds: 7200 },
          [otherId]: { excludedDates: ["2026-12-25"] }
        }
      }
    )
  })

  it("counts what is left out as the default, which the preset does not widen", () => {
    const narrowed = Presets.apply({}, { ...strict, policy: { callingHours: everyDay(["08:00", "21:00"]) } })
    assert.deepStrictEqual(narrowed, { callingHours: Policy.defaults.callingHours })
  })

  it("leaves no hours where the two have none in common", () => {
    const weekend = { callingHours: { sat: [{ start: "10:00", end: "12:00" }] } }
    assert.deepStrictEqual(Presets.apply(weekend, strict).callingHours, {})
  })

  /** Up to three windows a day, to the quarter of an hour, many of them past midnight. */
  const Quarter = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 95 }))
  const Windows = Schema.Array(Schema.Tuple([Quarter, Quarter])).check(Schema.isMaxLength(3))
  const Week = Schema.Tuple([Windows, Windows, Windows, Windows, Windows, Windows, Windows])
  const Weekday = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))

  it.prop(
    "opens no minute that either closes, whatever date is excluded",
    [Week, Week, Weekday],
    ([one, other, out]) => {
      const both = openWithout(WeekMinutes.inBoth(hoursOf(one), hoursOf(other)), out)
      const [first, second] = [openWithout(hoursOf(one), out), openWithout(hoursOf(other), out)]
      assert.isTrue(both.every((isOpen, minute) => !isOpen || (first[minute] === true && second[minute] === true)))
    }
  )

  it.prop("opens every minute that both open, when none is past midnight", [Week, Week], ([one, other]) => {
    const [first, second] = [one, other].map((week) =>
      hoursOf(week.map((day) => day.filter(([from, to]) => from < to)))
    )
    const both = WeekMinutes.of(WeekMinutes.inBoth(first ?? {}, second ?? {}))
    const [its, others] = [WeekMinutes.of(first ?? {}), WeekMinutes.of(second ?? {})]
    assert.isTrue(both.every((minute, at) => (minute !== 0) === (its[at] !== 0 && others[at] !== 0)))
  })
})

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const hoursOf = (week: ReadonlyArray<ReadonlyArray<readonly [number, number]>>): Policy.CallingHours => {
  const time = (quarter: number) =>
    `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String(quarter % 4 * 15).padStart(2, "0")}`
  return Object.fromEntries(
    week.map((day, index) => [weekdays[index], day.map(([start, end]) => ({ start: time(start), end: time(end) }))])
  )
}

/** Which minutes of the week are open when a weekday is excluded: by asking each window of each minute. */
const openWithout = (hours: Policy.CallingHours, excluded: number): ReadonlyArray<boolean> => {
  const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  const spans = weekdays.map((day) =>
    (hours[day] ?? []).map(({ end, start }) => {
      const length = (minutes(end) - minutes(start) + 1440) % 1440 || 1440
      return [minutes(start), minutes(start) + length] as const
    })
  )
  const isWithin = (day: number, minute: number) =>
    day !== excluded && (spans[day] ?? []).some(([from, to]) => from <= minute && minute < to)
  return Array.from({ length: 7 * 1440 }, (_, at) => {
    const today = Math.floor(at / 1440)
    const minute = at % 1440
    return today !== excluded && (isWithin(today, minute) || isWithin((today + 6) % 7, minute + 1440))
  })
}
