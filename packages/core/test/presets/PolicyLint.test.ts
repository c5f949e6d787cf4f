import { assert, describe, it } from "@effect/vitest"
import * as Presets from "@outdial/core/presets"
import type { PolicyDocument } from "../../src/domain/Policy.ts"
import { everyDay, mondayToFriday, mondayToSaturday } from "../../src/presets/Preset.ts"

const agentId = "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"
const day = 24 * 60 * 60
const hours = 60 * 60

const preset: Presets.Preset = {
  id: "here",
  title: "Here",
  policy: {
    callingHours: mondayToSaturday(["09:00", "20:00"]),
    numberLimits: [{ max: 3, windowSeconds: day }],
    recallGapSeconds: 4 * hours
  },
  holidays: "XX",
  notes: [],
  confidence: "derived",
  sources: ["this test"],
  asOf: "2026-11-21"
}

/** Nothing in it is out of line. */
const good: PolicyDocument = {
  callingHours: mondayToSaturday(["09:00", "20:00"]),
  excludedDates: ["2026-12-25"],
  fallbackTimeZone: "Europe/Paris"
}

/** The findings without what they say, as `code path`. */
const inShort = (findings: ReadonlyArray<Presets.Finding>) => findings.map(({ code, path }) => `${code} ${path}`)

const against: ReadonlyArray<readonly [string, PolicyDocument, ReadonlyArray<string>]> = [
  ["the same rules", good, []],
  ["narrower rules", { ...good, callingHours: { mon: [{ start: "10:00", end: "11:00" }] }, recallGapSeconds: day }, []],
  ["a weekday that is open longer", {
    ...good,
    callingHours: { ...mondayToSaturday(["09:00", "20:00"]), tue: [{ start: "09:00", end: "20:01" }] }
  }, ["calling_hours_wider /calling_hours/tue/0"]],
  ["a weekday that is closed there", { ...good, callingHours: { sun: [{ start: "09:00", end: "10:00" }] } }, [
    "calling_hours_wider /calling_hours/sun/0"
  ]],
  ["an evening past midnight, once", { ...good, callingHours: { fri: [{ start: "18:00", end: "01:00" }] } }, [
    "calling_hours_wider /calling_hours/fri/0"
  ]],
  ["the second of two windows", {
    ...good,
    callingHours: { mon: [{ start: "09:00", end: "12:00" }, { start: "08:00", end: "09:00" }] }
  }, ["calling_hours_wider /calling_hours/mon/1"]],
  ["any time", { ...good, callingHours: null }, ["calling_hours_wider /calling_hours"]],
  ["default hours, which are wider on Sunday, and no dates", {}, [
    "calling_hours_wider /calling_hours",
    "excluded_dates_missing /excluded_dates"
  ]],
  ["no dates", { ...good, excludedDates: [] }, ["excluded_dates_missing /excluded_dates"]],
  ["a shorter gap", { ...good, recallGapSeconds: 4 * hours - 1 }, ["recall_gap_shorter /recall_gap_seconds"]],
  ["no limits", { ...good, numberLimits: [] }, ["number_limit_looser /number_limits"]],
  ["a higher limit", { ...good, numberLimits: [{ max: 4, windowSeconds: day }] }, [
    "number_limit_looser /number_limits"
  ]],
  ["a limit that is written otherwise", { ...good, numberLimits: [{ max: 1, windowSeconds: 8 * hours }] }, []],
  ["a limit in a longer window", { ...good, numberLimits: [{ max: 3, windowSeconds: 7 * day }] }, []],
  ["a limit that two of fit into the day", { ...good, numberLimits: [{ max: 2, windowSeconds: 12 * hours }] }, [
    "number_limit_looser /number_limits"
  ]],
  ["a gap that amounts to the limit", { ...good, numberLimits: [], recallGapSeconds: 8 * hours }, []],
  ["a gap that an agent does not keep", {
    ...good,
    numberLimits: [],
    recallGapSeconds: 8 * hours,
    agents: { [agentId]: { recallGapSeconds: 7 * hours } }
  }, ["number_limit_looser /number_limits"]],
  ["agents that are wider", {
    ...good,
    agents: {
      [agentId]: { callingHours: { sun: [{ start: "09:00", end: "10:00" }] }, excludedDates: [], recallGapSeconds: 60 }
    }
  }, [
    `calling_hours_wider /agents/${agentId}/calling_hours/sun/0`,
    `recall_gap_shorter /agents/${agentId}/recall_gap_seconds`,
    `excluded_dates_missing /agents/${agentId}/excluded_dates`
  ]],
  ["agents that differ in nothing", { ...good, agents: { [agentId]: {} } }, []]
]

const general: ReadonlyArray<readonly [string, PolicyDocument, ReadonlyArray<string>]> = [
  ["nothing unusual", good, []],
  ["the defaults", {}, ["no_fallback_time_zone /fallback_time_zone"]],
  ["a day from 07:00 to 22:00", { ...good, callingHours: everyDay(["07:00", "22:00"]) }, []],
  ["a minute too early", { ...good, callingHours: { mon: [{ start: "06:59", end: "12:00" }] } }, [
    "open_at_night /calling_hours/mon/0"
  ]],
  ["a minute too late", { ...good, callingHours: { mon: [{ start: "20:00", end: "22:01" }] } }, [
    "open_at_night /calling_hours/mon/0"
  ]],
  ["any time", { ...good, callingHours: null }, ["open_at_night /calling_hours"]],
  ["no hours at all", { ...good, callingHours: {} }, ["never_open /calling_hours"]],
  ["no limits", { ...good, numberLimits: [] }, ["no_number_limits /number_limits"]],
  ["no gap", { ...good, recallGapSeconds: 0 }, ["no_recall_gap /recall_gap_seconds"]],
  ["an agent without a gap, at night", {
    ...good,
    agents: { [agentId]: { callingHours: null, recallGapSeconds: 0 } }
  }, [`open_at_night /agents/${agentId}/calling_hours`, `no_recall_gap /agents/${agentId}/recall_gap_seconds`]]
]

describe("PolicyLint", () => {
  it.each(against)("finds against a preset: %s", (_, document, expected) => {
    assert.deepStrictEqual(inShort(Presets.lint(document, preset)), expected)
  })

  it.each(general)("finds in general: %s", (_, document, expected) => {
    assert.deepStrictEqual(inShort(Presets.lintGeneral(document)), expected)
  })

  it("says what is unusual and what to do about it", () => {
    const document: PolicyDocument = {
      callingHours: { ...mondayToFriday(["09:00", "20:00"]), sat: [{ start: "08:00", end: "21:30" }] },
      numberLimits: [],
      excludedDates: ["2026-12-25"]
    }
    assert.deepStrictEqual(Presets.lint(document, preset), [
      {
        code: "calling_hours_wider",
        severity: "warning",
        path: "/calling_hours/sat/0",
        message:
          "The phone may ring on Saturday 08:00-09:00, Saturday 20:00-21:30, which the preset here does not allow; leave it out, or apply the preset",
        data: {
          preset: "here",
          times: [{ day: "sat", start: "08:00", end: "09:00" }, { day: "sat", start: "20:00", end: "21:30" }],
          default: false
        }
      },
      {
        code: "number_limit_looser",
        severity: "warning",
        path: "/number_limits",
        message:
          "No limit keeps a number to 3 dials in 86400 seconds, as the preset here does; add {\"max\":3,\"window_seconds\":86400} to number_limits",
        data: { preset: "here", max: 3, seconds: 86_400 }
      }
    ])
    assert.deepStrictEqual(Presets.lintGeneral({}), [{
      code: "no_fallback_time_zone",
      severity: "info",
      path: "/fallback_time_zone",
      message:
        "Calls to numbers whose time zone is not known are held; set fallback_time_zone to have them dialed by the hours of a zone of your choice",
      data: {}
    }])
    assert.deepStrictEqual(
      Presets.lint({ ...good, callingHours: null, excludedDates: [], recallGapSeconds: 60 }, preset).map(({ data }) =>
        data
      ),
      [
        { preset: "here", times: [], default: false },
        { preset: "here", seconds: 60, least: 4 * hours },
        { preset: "here", calendar: "XX" }
      ]
    )
  })
})
