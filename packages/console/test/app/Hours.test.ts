import { assert, describe, it } from "@effect/vitest"
import { durationOf, durationText } from "../../app/src/data/DurationText.ts"
import {
  replacedBy,
  rulesOfAgent,
  textForms,
  withAgentField,
  withField
} from "../../app/src/pages/hours/PolicyDraft.ts"
import {
  added,
  merged,
  moved,
  spansOf,
  timeOf,
  windowsOf,
  withEnd,
  withStart,
  withWindows
} from "../../app/src/pages/hours/Week.ts"

describe("the week", () => {
  it("gives back the windows of a policy, also over midnight and for a whole day", () => {
    const hours = {
      tue: [{ start: "09:00", end: "12:30" }, { start: "14:00", end: "24:00" }],
      sat: [{ start: "22:00", end: "02:00" }, { start: "00:00", end: "00:00" }]
    }
    assert.deepStrictEqual(windowsOf(hours, "sat"), [{ start: 1_320, end: 1_560 }, { start: 0, end: 1_440 }])
    assert.deepStrictEqual(windowsOf(hours, "mon"), [])
    assert.deepStrictEqual(withWindows(hours, "tue", windowsOf(hours, "tue")), hours)
    assert.deepStrictEqual(
      windowsOf(withWindows(hours, "sat", windowsOf(hours, "sat")), "sat"),
      windowsOf(hours, "sat")
    )
    assert.deepStrictEqual(Object.keys(withWindows(hours, "mon", [{ start: 0, end: 60 }])), ["mon", "tue", "sat"])
    assert.deepStrictEqual(Object.keys(withWindows(hours, "sat", [])), ["tue"])
    assert.deepStrictEqual([0, 1_440, 1_441].map(timeOf), ["00:00", "24:00", "00:01"])
  })

  it("keeps a window a window when an edge or the whole of it moves too far", () => {
    const window = { start: 540, end: 1_200 }
    assert.deepStrictEqual(withStart(window, 2_000), { start: 1_199, end: 1_200 })
    assert.deepStrictEqual(withStart(window, -10), { start: 0, end: 1_200 })
    assert.deepStrictEqual(withEnd(window, 0), { start: 540, end: 541 })
    assert.deepStrictEqual(withEnd(window, 9_999), { start: 540, end: 1_980 })
    assert.deepStrictEqual(moved(window, 1_400), { start: 780, end: 1_440 })
    assert.deepStrictEqual(moved({ start: 1_320, end: 1_560 }, 1_380), { start: 1_380, end: 1_620 })
  })

  it("merges windows that touch, and finds room for another", () => {
    assert.deepStrictEqual(merged([{ start: 600, end: 700 }, { start: 0, end: 60 }, { start: 700, end: 800 }]), [
      { start: 0, end: 60 },
      { start: 600, end: 800 }
    ])
    assert.deepStrictEqual(added([]), [{ start: 540, end: 1_020 }])
    assert.deepStrictEqual(added([{ start: 540, end: 1_200 }]), [{ start: 540, end: 1_200 }, {
      start: 1_230,
      end: 1_350
    }])
    assert.deepStrictEqual(added([{ start: 540, end: 1_440 }]), [{ start: 0, end: 510 }, { start: 540, end: 1_440 }])
    assert.deepStrictEqual(added([{ start: 0, end: 1_440 }]), [{ start: 0, end: 1_440 }])
  })
})

describe("the policy's form", () => {
  it("reads and writes durations in any unit, and leaves other text for the server to refuse", () => {
    assert.deepStrictEqual([14_400, 86_400, 90, 5_400, 0].map(durationText), ["4 h", "1 d", "90 s", "90 min", "0 s"])
    assert.deepStrictEqual(["4 h", "1d", "90 min", "5m", "30", "soon"].map(durationOf), [
      14_400,
      86_400,
      5_400,
      300,
      30,
      "soon"
    ])
    assert.deepStrictEqual(textForms.allowed_countries.read("US, CA"), ["US", "CA"])
    assert.deepStrictEqual(textForms.daily_limit.read("many"), "many")
  })

  it("leaves out what is emptied, except an empty list of limits, which limits nothing", () => {
    const document = { time_zone: "UTC", daily_limit: 5, number_limits: [] }
    assert.deepStrictEqual(withField(document, "daily_limit", undefined), { time_zone: "UTC", number_limits: [] })
    assert.deepStrictEqual(withField(document, "number_limits", []), document)
    assert.deepStrictEqual(withField(document, "calling_hours", null), { ...document, calling_hours: null })
  })

  it("gives an agent rules of its own, and none when the last is left out", () => {
    const document = { time_zone: "UTC" }
    const own = withAgentField(document, "a", "recall_gap_seconds", 60)
    assert.deepStrictEqual(own, { time_zone: "UTC", agents: { a: { recall_gap_seconds: 60 } } })
    assert.deepStrictEqual(rulesOfAgent(own, "a"), { recall_gap_seconds: 60 })
    const two = withAgentField(own, "b", "calling_hours", null)
    assert.deepStrictEqual(withAgentField(two, "a", "recall_gap_seconds", undefined)["agents"], {
      b: { calling_hours: null }
    })
    assert.deepStrictEqual(withAgentField(own, "a", "recall_gap_seconds", undefined), document)
  })

  it("writes a week in as few words as it has different days", () => {
    const day = [{ start: "09:00", end: "20:00" }]
    assert.deepStrictEqual(
      spansOf({ mon: day, tue: day, wed: day, fri: day, sat: [{ start: "22:00", end: "02:00" }] }),
      [
        { first: "mon", last: "wed", windows: [{ start: 540, end: 1_200 }] },
        { first: "fri", last: "fri", windows: [{ start: 540, end: 1_200 }] },
        { first: "sat", last: "sat", windows: [{ start: 1_320, end: 1_560 }] }
      ]
    )
  })

  it("keeps the rules of single agents when a preset is taken", () => {
    assert.deepStrictEqual(
      replacedBy({ agents: { a: {} }, recall_gap_seconds: 1, time_zone: "UTC" }, { recall_gap_seconds: 2, agents: {} }),
      { agents: { a: {} }, recall_gap_seconds: 2, time_zone: "UTC" }
    )
  })
})
