import { assert, it } from "@effect/vitest"
import { type Explanation, PhoneNumber, TimeZones } from "@outdial/core"
import { DateTime, Effect } from "effect"
import { describe } from "vitest"
import * as CallingHoursText from "../../../src/cli/policy/CallingHoursText.ts"
import * as ExplanationText from "../../../src/cli/policy/ExplanationText.ts"

const at = DateTime.makeUnsafe("2026-03-08T09:30:00Z")
const opens = DateTime.makeUnsafe("2026-03-08T16:00:00Z")

const explanation: Explanation.Explanation = {
  object: "explanation",
  at,
  phoneNumber: PhoneNumber.PhoneNumber.make("+14155550100"),
  timeZones: ["America/Los_Angeles"],
  decision: "wait",
  code: "outside_calling_hours",
  reason: "Waiting.",
  scheduledFor: opens,
  rules: [
    {
      rule: "outside_calling_hours",
      allows: false,
      nextAllowedAt: opens,
      data: { time_zones: ["America/Los_Angeles"] }
    },
    { rule: "number_limit", allows: true, data: { dials: [1, 2, 3, 4, 5] } }
  ]
}

const lines = (changes: Partial<Explanation.Explanation> = {}) =>
  Effect.map(TimeZones.TimeZones, ({ offset }) => ExplanationText.lines({ ...explanation, ...changes }, offset)).pipe(
    Effect.provide(TimeZones.TimeZones.layer)
  )

describe("an explanation for people", () => {
  it.effect("shows instants in UTC and on the callee's clock, also on the night the clocks change", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* lines(), [
        "+14155550100 at 2026-03-08T09:30:00.000Z",
        "The callee's clock shows Sun 2026-03-08 01:30 America/Los_Angeles",
        "",
        "rule                   now     next allowed (UTC)        in the callee's zone                      decided from",
        "outside_calling_hours  holds   2026-03-08T16:00:00.000Z  Sun 2026-03-08 09:00 America/Los_Angeles  time_zones [\"America/Los_Angeles\"]",
        "number_limit           allows                                                                      dials [1,2,3] and 2 more",
        "",
        "decision       wait: outside_calling_hours (Waiting.)",
        "scheduled_for  2026-03-08T16:00:00.000Z = Sun 2026-03-08 09:00 America/Los_Angeles"
      ])
    }))

  it.effect("names some of many zones, the fallback if none is known, and reports if there is neither", () =>
    Effect.gen(function*() {
      const clock = (timeZones: ReadonlyArray<string>, data: Explanation.Verdict["data"] = {}) =>
        Effect.map(
          lines({ timeZones, rules: [{ rule: "unknown_time_zone", allows: false, data }] }),
          ([, second]) => second
        )
      assert.strictEqual(
        yield* clock(["Asia/Tokyo", "Asia/Kathmandu", "Asia/Dubai", "Europe/Paris", "UTC"]),
        "The callee's clock shows Sun 2026-03-08 18:30 Asia/Tokyo, Sun 2026-03-08 15:15 Asia/Kathmandu, Sun 2026-03-08 13:30 Asia/Dubai, and 2 more"
      )
      assert.strictEqual(
        yield* clock([], { fallback_time_zone: "Europe/Paris" }),
        "The callee's time zone is not known; the account's fallback shows Sun 2026-03-08 10:30 Europe/Paris"
      )
      assert.strictEqual(yield* clock([]), "The callee's time zone is not known")
      assert.strictEqual(yield* clock(["Mars/Base"]), "The callee's clock shows unknown Mars/Base")
    }))
})

describe("calling hours on one line", () => {
  const day = [{ start: "09:00", end: "20:00" }]
  it.each([
    [null, "any time"],
    [{}, "mon-sun closed"],
    [{ mon: day, tue: day, wed: [], sun: day }, "mon-tue 09:00-20:00; wed-sat closed; sun 09:00-20:00"],
    [
      { fri: [{ start: "08:00", end: "12:00" }, { start: "22:00", end: "02:00" }] },
      "mon-thu closed; fri 08:00-12:00 and 22:00-02:00; sat-sun closed"
    ]
  ])("are told of %j", (hours, expected) => {
    assert.strictEqual(CallingHoursText.text(hours), expected)
  })
})
