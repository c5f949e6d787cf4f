/** What the contact hears when the agent says nothing, and when the contact does. */
import { assert, describe, it } from "@effect/vitest"
import {
  answered,
  fails,
  hears,
  isDone,
  linesOf,
  notes,
  plays,
  presses,
  says,
  settings,
  speechStarts,
  stops
} from "../../support/Dialogue.ts"

const { fallback, filler, goodbye, prompt } = settings.phrases
const thanks = `${goodbye} (to the end)`

describe("an agent that is slow or fails", () => {
  it("is covered by a filler after 1.5 s without words, and by another one every 8 s", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered], [3000, plays()], [12_000, plays()]], { until: 14_999 }),
      [
        "0 ask Opening",
        `1500 speak ${filler}`,
        `3000 agent: ${filler}`,
        `11000 speak ${filler}`,
        `12000 agent: ${filler}`
      ]
    )
  })

  it("is covered in spite of noise", () => {
    const noise = Array.from({ length: 14 }, (_, second) => [1000 + 1000 * second, speechStarts] as const)
    const lines = linesOf([[0, answered], ...noise], { until: 14_999 })
    assert.include(lines, `3000 speak ${filler}`)
  })

  it("is not covered before a disclosure that the line has stopped, which is repeated", () => {
    const disclosure = "This is an automated call."
    const lines = linesOf([[0, answered], [500, stops("")], [2600, stops("")]], {
      settings: { disclosure },
      until: 4600
    })
    assert.strictEqual(lines.at(-1), `4600 speak ${disclosure} (to the end)`)
    assert.notInclude(lines.join("\n"), filler)
  })

  it("has no more time when it takes notes, or says nothing", () => {
    const parts = [notes({ _tag: "Callback" }), says("…"), presses("")]
    const turns = [5000, 10_000, 14_000, 19_000].map((at) => [at, ...parts] as const)
    const lines = linesOf([[0, answered], ...turns], { until: 30_000 })
    assert.include(lines, "15000 failed: The agent did not answer in time")
  })

  it("may take notes while its words are heard", () => {
    const lines = linesOf([[0, answered, says("A long sentence.")], [4000, notes({ _tag: "Callback" })], [
      5000,
      plays()
    ]], {
      until: 18_999
    })
    assert.notInclude(lines.join("\n"), "failed")
  })

  it("needs no filler while its words are being heard", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("A long sentence.")], [5000, plays()], [6000, says("Another one."), isDone]]).slice(
        2
      ),
      ["5000 agent: A long sentence.", "6000 speak Another one."]
    )
  })

  it("ends politely when it fails", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, fails("no model")], [4000, plays()]]).slice(1),
      [
        "0 failed: no model",
        `0 speak ${fallback} (to the end)`,
        `4000 agent: ${fallback}`,
        "4000 over: agent_failed",
        "4000 hang up"
      ]
    )
  })

  it.each([["at all", []], ["after a first part", [says("Let me see.")]]] as const)(
    "ends politely when it does not answer within 15 s %s",
    (_, parts) => {
      assert.include(
        linesOf([[0, answered, ...parts], [800, plays()]], { until: 15_000 }),
        "15000 failed: The agent did not answer in time"
      )
    }
  )

  it("ends politely when it does not answer a contact who answers every filler", () => {
    const turns = [0, 4500, 9000, 13_500].flatMap((at) => [[at + 3000, plays()], [at + 4500, hears("Hello?")]] as const)
    assert.deepStrictEqual(
      linesOf([[0, answered], ...turns], { until: 40_000 }).filter((line) => /failed|warn/u.test(line)).slice(0, 2),
      ["21000 warn: The agent did not answer in time", "21000 failed: The agent did not answer in time"]
    )
  })

  it("has its time again when it has answered", () => {
    const turns = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((turn) =>
      [
        [turn * 10_000 + 3000, plays()],
        [turn * 10_000 + 4500, hears("Hello?")],
        [turn * 10_000 + 7000, says("Yes."), isDone],
        [turn * 10_000 + 8000, plays(), plays()],
        [turn * 10_000 + 10_000, hears("Well.")]
      ] as const
    )
    assert.notInclude(linesOf([[0, answered], ...turns]).join("\n"), "failed")
  })

  it("does not leave a silence when it answers nothing", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("   "), says("…"), isDone]], { until: 60_000 }).slice(1),
      [
        `10000 speak ${prompt}`,
        `16000 agent: ${prompt}`,
        `26000 speak ${thanks}`,
        `33950 agent: ${goodbye}`,
        "33950 over: contact_silent",
        "33950 hang up"
      ]
    )
  })
})

describe("noise", () => {
  it("counts as silence, and postpones the prompt by 2 s at most", () => {
    for (const pause of [1000, 5000, 9000]) {
      const noise = Array.from({ length: 60_000 / pause }, (_, index) => [pause * (index + 1), speechStarts] as const)
      const lines = linesOf([[0, answered, isDone], ...noise], { until: 60_000 })
      const prompted = Number.parseInt(lines.find((line) => line.includes(`speak ${prompt}`)) ?? "", 10)
      assert.isTrue(prompted >= 10_000 && prompted <= 12_000, lines.join("\n"))
      assert.match(lines.at(-1) ?? "", /hang up$/u)
    }
  })
})
