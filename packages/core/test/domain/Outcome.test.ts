import { assert, describe, it } from "@effect/vitest"
import { Limits, Outcome } from "../../src/index.ts"

const most = Limits.outcomeTextLength
const textsOf = (text: string) => Outcome.turns([{ speaker: "contact", text }]).map((turn) => turn.text)

describe("turns", () => {
  it("leaves alone what an outcome can hold", () => {
    const said = [{ speaker: "agent", text: "" }, { speaker: "contact", text: "x".repeat(most) }] as const
    assert.deepStrictEqual(Outcome.turns(said), said)
  })

  it("makes several turns of a longer one, by the same speaker", () => {
    const said = { speaker: "contact", text: "x".repeat(2 * most) + "y" } as const
    assert.deepStrictEqual(Outcome.turns([said]), [
      { speaker: "contact", text: "x".repeat(most) },
      { speaker: "contact", text: "x".repeat(most) },
      { speaker: "contact", text: "y" }
    ])
  })

  it("gives each of these the times of the whole, and the last one its interruption", () => {
    const times = { speaker: "agent", startMs: 100, endMs: 90_000 } as const
    const said = { ...times, text: "x".repeat(most) + "y", interrupted: true }
    assert.deepStrictEqual(Outcome.turns([said]), [
      { ...times, text: "x".repeat(most), interrupted: false },
      { ...times, text: "y", interrupted: true }
    ])
  })

  it("cuts no character in two", () => {
    const text = "x".repeat(most - 1) + "🙂".repeat(most)
    const texts = textsOf(text)
    assert.strictEqual(texts.join(""), text)
    assert.isTrue(texts.every((piece) => piece.isWellFormed() && piece.length <= most))
  })
})
