import { assert, describe, it } from "@effect/vitest"
import { markQuote } from "../../app/src/data/Quote.ts"
import { mergeTurns, soundStart, turnAt } from "../../app/src/data/Turns.ts"

type Turn = Parameters<typeof mergeTurns>[0][number]

const turn = (sequence: number, start_ms: number, text = ""): Turn => ({
  sequence,
  speaker: sequence % 2 === 1 ? "agent" : "contact",
  text,
  start_ms,
  end_ms: start_ms + 1_000
})

const turns = [turn(1, 500), turn(2, 4_000), turn(3, 9_000)]

describe("the turns of a transcript", () => {
  it("come in any order and more than once, and stand in order and once", () => {
    const merged = mergeTurns([turn(1, 500), turn(3, 9_000, "cut")], [turn(3, 9_000, "whole"), turn(2, 4_000)])
    assert.deepStrictEqual(merged.map(({ sequence, text }) => [sequence, text]), [[1, ""], [2, ""], [3, "whole"]])
  })

  it("are heard from their start until the next begins", () => {
    const sound = { milliseconds: 11_000, isSample: false }
    assert.deepStrictEqual([0, 500, 3_999, 4_000, 10_999].map((at) => turnAt(turns, at, sound)), [
      undefined,
      1,
      1,
      2,
      3
    ])
    assert.strictEqual(soundStart(turns, 2, sound), 4_000)
  })

  it("have a tone of the same length each in a recording of the simulator", () => {
    const sound = { milliseconds: 750, isSample: true }
    assert.deepStrictEqual([0, 249, 250, 500, 749].map((at) => turnAt(turns, at, sound)), [1, 1, 2, 3, 3])
    assert.deepStrictEqual([1, 2, 3].map((sequence) => soundStart(turns, sequence, sound)), [0, 250, 500])
  })
})

describe("a quote", () => {
  it("is found in any case, with any spaces, and with signs that patterns use", () => {
    assert.deepStrictEqual(markQuote("Well,  yes (on  Tuesday). Bye", " Yes (on Tuesday). "), {
      before: "Well,  ",
      quote: "yes (on  Tuesday).",
      after: " Bye"
    })
  })

  it("is not marked where it was not said", () => {
    assert.isUndefined(markQuote("No.", "Yes."))
    assert.isUndefined(markQuote("No.", " "))
  })
})
