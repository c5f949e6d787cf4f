import { assert, describe, it } from "@effect/vitest"
import { OutdialError, PersonaPlayer, rehearse, type RehearseOptions } from "@outdial/core"

const agent = {
  name: "Ada",
  script: "Hello, this is Ada from Riverside Clinic.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["completed", "not_interested", "do_not_call"]
}

const playedBy = (
  reply: Parameters<typeof PersonaPlayer.PersonaPlayer.layerOf>[0],
  options: Partial<RehearseOptions> = {}
) =>
  rehearse({
    agent,
    personas: [{ name: "grace", answers: [{ says: "Yes.", truth: "suits" }] }],
    runs: 1,
    player: PersonaPlayer.PersonaPlayer.layerOf(reply),
    ...options
  })

describe("rehearse with a player of the host's", () => {
  it("plays the persona where it has no move, and knows what was said and asked", async () => {
    const asked: Array<string | undefined> = []
    const { answers, passed, runs: [run] } = await playedBy(({ persona, question, spoken }) => {
      asked.push(question)
      return question === undefined
        ? { move: { _tag: "Says", text: `${persona.name} here, after ${spoken.length}.` } }
        : { move: { _tag: "Says", text: "Tuesday suits me well." }, isAnswer: true }
    })
    assert.isTrue(passed)
    assert.deepStrictEqual(asked, [undefined, "Does Tuesday suit you?"])
    assert.deepStrictEqual(run?.transcript.filter(({ speaker }) => speaker === "contact").map(({ text }) => text), [
      "grace here, after 1.",
      "Tuesday suits me well."
    ])
    assert.strictEqual(answers.find(({ verdict }) => verdict === "right")?.count, 1)
  })

  it("checks an opt-out of its words as that of a move", async () => {
    const { musts, runs: [run] } = await playedBy(async () => ({
      move: { _tag: "Says", text: "Please never call me again." },
      optsOut: true
    }))
    assert.strictEqual(run?.endReason, "opt_out")
    assert.deepInclude(musts.find(({ must }) => must === "opt_outs"), { kept: 1, of: 1 })
  })

  it.each([
    ["rejects", () => Promise.reject(new Error("no credit")), "no credit"],
    ["returns no move", () => JSON.parse("{}"), "move"],
    ["says nothing", () => ({ move: { _tag: "Says", text: "…" } }) as const, "must have a letter or a digit"],
    ["presses what no phone has", () => ({ move: { _tag: "Presses", digits: "x" } }) as const, "must have 1 to 64 keys"]
  ])("fails when it %s", async (_, reply, message) => {
    const error = await playedBy(reply).then(() => undefined, (error: unknown) => error)
    if (!OutdialError.is(error, "persona_failed")) return assert.fail(String(error))
    assert.include(error.message, "The persona grace failed")
    assert.include(error.message, message)
  })
})
