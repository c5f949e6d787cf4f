import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import type { Entry } from "../../../src/domain/Conversation.ts"
import * as Conversation from "../../../src/rules/conversation/Conversation.ts"
import {
  answered,
  asksTool,
  closes,
  hears,
  isDone,
  linesOf,
  plays,
  run,
  says,
  settings,
  toolAnswers
} from "../../support/Dialogue.ts"

const tuesday = { day: "Tuesday" }

/** The contact has asked for something, and the agent is to answer. */
const asked = [[0, answered, isDone], [1000, hears("Tuesday, please.")]] as const

/** The lines about tools. */
const toolLines = (...parameters: Parameters<typeof run>) =>
  linesOf(...parameters).filter((line) => /^\d+ (?:intent|run|result|answer)/u.test(line))

describe("a tool", () => {
  it("is on record before it runs, and its answer is", () => {
    assert.deepStrictEqual(
      toolLines([...asked, [1200, asksTool(1, "book", tuesday)], [1300, toolAnswers("1", "ok")]]),
      [
        "1200 intent 1: book",
        "1200 run book {\"day\":\"Tuesday\"}",
        "1300 result 1: \"ok\"",
        "1300 answer 1: \"ok\""
      ]
    )
  })

  it("does not run again with the same arguments, in any order of their keys", () => {
    const lines = toolLines([
      ...asked,
      [1200, asksTool(1, "book", { day: "Tuesday", at: { hour: 9 } })],
      [1300, toolAnswers("1", "ok"), isDone],
      [2000, hears("Really?")],
      [2100, asksTool(2, "book", { at: { hour: 9 }, day: "Tuesday" })],
      [2200, asksTool(3, "book", { at: { hour: 10 }, day: "Tuesday" })]
    ])
    assert.deepStrictEqual(lines.slice(4), [
      "2100 answer 2: \"ok\"",
      "2200 intent 2: book",
      "2200 run book {\"at\":{\"hour\":10},\"day\":\"Tuesday\"}"
    ])
  })

  it("runs again if it only reads", () => {
    const lines = toolLines([
      ...asked,
      [1200, asksTool(1, "free", {}, { isReadOnly: true })],
      [1300, toolAnswers("1", 3), asksTool(2, "free", {}, { isReadOnly: true })],
      [1400, toolAnswers("2", 2)]
    ])
    assert.deepStrictEqual(lines.filter((line) => line.includes("answer")), ["1300 answer 1: 3", "1400 answer 2: 2"])
  })

  it("runs once for the answer that the contact interrupted and for the next one", () => {
    const lines = linesOf([
      ...asked,
      [1200, asksTool(1, "book", tuesday)],
      [1500, hears("In the morning.")],
      [1600, asksTool(2, "book", tuesday)],
      [2500, toolAnswers("1", "ok")]
    ])
    assert.includeMembers([...lines], [
      "1500 interrupt the agent",
      "1500 ask \"Tuesday, please. In the morning.\"",
      "2500 answer 2: \"ok\""
    ])
    assert.lengthOf(lines.filter((line) => line.includes("run book")), 1)
  })

  it("does not run for an answer that is no longer wanted", () => {
    const lines = toolLines([...asked, [1200, isDone, asksTool(1, "book", tuesday, { request: 1 })]])
    assert.deepStrictEqual(lines, ["1200 answer 1: not_wanted"])
  })

  it("is given up when its time is over, and what comes later is dropped", () => {
    assert.deepStrictEqual(
      toolLines([...asked, [1200, asksTool(1, "book", tuesday)], [12_000, toolAnswers("1", "late")]]).slice(2),
      ["11200 result 1: timed_out", "11200 answer 1: timed_out"]
    )
  })

  it("leaves the agent its time for an answer after it", () => {
    const lines = linesOf([
      ...asked,
      [1200, asksTool(1, "book", tuesday, { timeout: 30_000 })],
      [30_000, toolAnswers("1", "ok")]
    ], { until: 46_000 })
    assert.include(lines, "45000 failed: The agent did not answer in time")
  })

  it("is accompanied by its words after half a second, and by a filler every 8 seconds", () => {
    const lines = linesOf([
      ...asked,
      [1200, asksTool(1, "book", tuesday, { filler: "I book it." })],
      [3000, plays()],
      [11_100, plays()]
    ], { until: 12_000 })
    assert.deepStrictEqual(lines.filter((line) => line.includes("speak")), [
      "1700 speak I book it.",
      "11000 speak One moment, please."
    ])
  })

  it("needs no words of its own, nor any while the agent speaks", () => {
    const spoken = (...happenings: Parameters<typeof run>[0]) =>
      linesOf([...asked, ...happenings], { until: 4000 }).filter((line) => line.includes("speak"))
    assert.deepStrictEqual(spoken([1200, asksTool(1, "book")]), ["2700 speak One moment, please."])
    assert.deepStrictEqual(
      spoken([1200, says("Let me see."), asksTool(1, "book", {}, { filler: "I book it." })]),
      ["1200 speak Let me see."]
    )
  })

  it("runs at most 20 times in an answer, and then leaves the agent no more time", () => {
    const calls = Array.from({ length: 100 }, (_, index) => asksTool(index + 1, "book", index))
    const lines = linesOf([...asked, [1200, ...calls]], { until: 40_000 })
    assert.lengthOf(lines.filter((line) => line.includes(" run ")), 20)
    assert.lengthOf(lines.filter((line) => line.includes("too_many_calls")), 80)
  })

  it("runs at most 100 times in a conversation", () => {
    const turns = Array.from({ length: 30 }, (_, turn) => {
      const calls = Array.from({ length: 5 }, (_, index) => asksTool(index, "book", [turn, index]))
      return [turn * 1000, hears("Next."), ...calls, isDone] as const
    })
    const lines = linesOf([[0, answered, isDone], ...turns])
    assert.lengthOf(lines.filter((line) => line.includes(" run ")), 100)
    assert.lengthOf(lines.filter((line) => line.includes("too_many_calls")), 50)
  })

  it("does not outlast the conversation", () => {
    const lines = linesOf([...asked, [1200, asksTool(1, "book")], [1300, closes], [1400, toolAnswers("1", "ok")]], {
      until: 60_000
    })
    assert.deepStrictEqual(lines.slice(-3), ["1300 interrupt the agent", "1300 over: contact_hung_up", "1300 hang up"])
  })
})

describe("a tool of another process", () => {
  const intent: Entry = { _tag: "ToolIntent", at: 1200, id: "1", name: "book", arguments: tuesday }
  const said: Entry = { _tag: "Turn", speaker: "contact", text: "Tuesday, please.", at: 1000, endedAt: 1000 }
  const continued = (...entries: ReadonlyArray<Entry>) =>
    run([[2000, answered], [2100, asksTool(1, "book", tuesday)]], {
      from: Conversation.resume(settings, entries, 2000)
    })

  it("that left no result does not run again: its result is unknown", () => {
    const { lines } = continued(said, intent)
    assert.deepStrictEqual(lines, [
      "2000 result 1: unknown",
      "2000 ask \"Tuesday, please.\"",
      "2100 answer 1: unknown"
    ])
  })

  it("does not run again: its result is on record", () => {
    const { lines } = continued(said, intent, { _tag: "ToolResult", at: 1300, id: "1", result: { booked: true } })
    assert.deepStrictEqual(lines, ["2000 ask \"Tuesday, please.\"", "2100 answer 1: {\"booked\":true}"])
  })

  it("does not share its id with the next", () => {
    const { lines } = run([[2000, answered], [2100, asksTool(1, "cancel")]], {
      from: Conversation.resume(settings, [said, intent], 2000)
    })
    assert.include(lines, "2100 intent 2: cancel")
  })
})
