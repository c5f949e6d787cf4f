import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../../../src/domain/Conversation.ts"
import { PhoneNumber } from "../../../src/domain/PhoneNumber.ts"
import * as Conversation from "../../../src/rules/conversation/Conversation.ts"
import * as Dialogue from "../../support/Dialogue.ts"

const { answered, closes, hears, isDone, isStopped, isTransferred, linesOf, plays, says, transfersTo } = Dialogue

const number = PhoneNumber.make("+14155550198")
const settings = { transferNumbers: [{ name: "Reception", number }] }

/** The agent announces a transfer at 100 ms, which the contact has heard at 900. */
const announced = [
  [0, answered, says("Hello."), isDone],
  [50, plays()],
  [60, hears("Can I talk to a person?")],
  [100, says("I put you through."), transfersTo("reception"), isDone],
  [900, plays()]
] as const

const after = (at: number, ...happenings: ReadonlyArray<Dialogue.Happening>) =>
  linesOf([...announced, [at, ...happenings]], { settings }).slice(5)

describe("a transfer", () => {
  it("begins when the contact has heard the agent's words, and ends the conversation without a hang-up", () => {
    assert.deepStrictEqual(after(1000, isTransferred(true)), [
      "100 speak I put you through.",
      "100 interrupt the agent",
      "900 agent: I put you through.",
      "900 note transfer to Reception",
      `900 transfer to ${number}`,
      "1000 over: transferred",
      "1000 release"
    ])
  })

  it("that the carrier does not make is told to the agent, and the conversation goes on", () => {
    assert.deepStrictEqual(after(1000, isTransferred(false), says("Nobody is there.")).slice(-3), [
      "1000 note no transfer to Reception",
      "1000 ask not transferred to Reception",
      "1000 speak Nobody is there."
    ])
  })

  it("does not begin when the contact says something else before", () => {
    const lines = linesOf([...announced.slice(0, 4), [500, hears("Wait, one more question.")], [
      600,
      Dialogue.stops("I put")
    ]], {
      settings,
      until: 5_000
    })
    assert.include(lines, `600 ask "Wait, one more question."`)
    assert.isFalse(lines.some((line) => line.includes("transfer to")), lines.join("\n"))
  })

  it("begins in spite of words of attention", () => {
    const lines = linesOf([...announced.slice(0, 4), [500, hears("Okay.")], [900, plays()]], { settings })
    assert.include(lines, `900 transfer to ${number}`)
  })

  for (const to of ["+19005550100", "", "Billing"]) {
    it(`is never made to ${JSON.stringify(to)}, which is no name of the agent's`, () => {
      const lines = linesOf([[0, answered, says("One moment."), transfersTo(to), says("Well.")]], { settings })
      assert.deepStrictEqual(lines, [
        "0 ask Opening",
        "0 speak One moment.",
        "0 warn: The agent asks for a transfer that it may not make, or the line cannot",
        `0 note no transfer to ${to}`,
        "0 interrupt the agent",
        `0 ask not transferred to ${to}`,
        "0 speak Well."
      ])
    })
  }

  it("is not asked for without end: after three that fail the agent has failed", () => {
    const lines = linesOf([[0, answered, ...Array.from({ length: 10 }, () => transfersTo("Billing"))]], { settings })
    assert.lengthOf(lines.filter((line) => line.startsWith("0 ask not transferred")), 3)
    assert.include(lines, "0 failed: The agent asks again for transfers that fail")
  })

  it("is not made for a contact who has opted out", () => {
    const lines = linesOf(
      [[0, answered, Dialogue.notes({ _tag: "OptOut" }), says("Goodbye."), transfersTo("Reception"), isDone], [
        900,
        plays()
      ]],
      { settings }
    )
    assert.deepStrictEqual(lines.slice(-2), ["900 over: opt_out", "900 hang up"])
    assert.isFalse(lines.some((line) => line.includes("transfer to")), lines.join("\n"))
  })

  it("is not made for a contact who says goodbye and opts out", () => {
    const goodbye = hears("Goodbye, and don't call me again.")
    for (const leaving of [transfersTo("Reception"), Dialogue.ends]) {
      for (const interruptible of [true, false]) {
        const lines = linesOf([
          [0, answered, says("I put you through.", interruptible), leaving, isDone],
          [500, goodbye],
          [900, interruptible ? Dialogue.stops("I put") : plays()],
          [1000, says("Of course."), isDone],
          [2000, plays()]
        ], { settings, until: 10_000 })
        assert.isFalse(lines.some((line) => line.includes("transfer to")), lines.join("\n"))
        assert.match(lines.at(-2) ?? "", /over: opt_out$/u)
      }
    }
  })

  it("waits for the end of a disclosure that the line has stopped, whatever the contact says", () => {
    const disclosure = "This is an automated call."
    const lines = linesOf([[0, answered, transfersTo("Reception")], [500, Dialogue.stops("This is")], [
      600,
      hears("Okay.")
    ], [3000, plays()]], { settings: { ...settings, disclosure } })
    assert.deepStrictEqual(lines.slice(-4), [
      `600 speak ${disclosure} (to the end)`,
      `3000 agent: ${disclosure}`,
      "3000 note transfer to Reception",
      `3000 transfer to ${number}`
    ])
  })

  it("counts also when the process was told to stop meanwhile", () => {
    assert.deepStrictEqual(after(1000, isStopped("shutdown"), isTransferred(true)).slice(-2), [
      "1000 over: transferred",
      "1000 release"
    ])
  })

  it("is none when the contact hangs up before", () => {
    const lines = linesOf([...announced.slice(0, 4), [500, closes]], { settings })
    assert.deepStrictEqual(lines.slice(-2), ["500 over: contact_hung_up", "500 hang up"])
  })

  describe("whose line is back", () => {
    const noted = (at: number, failed?: boolean): Entry => ({
      _tag: "Noted",
      at,
      note: { _tag: "Transfer", to: "Reception", ...(failed !== undefined && { failed }) }
    })
    const turn: Entry = { _tag: "Turn", speaker: "agent", text: "I put you through.", at: 100, endedAt: 900 }
    const over = { _tag: "Over", at: 1000, reason: "transferred" } as const
    const resumed = (entries: ReadonlyArray<Entry>) =>
      linesOf([[60_000, answered]], {
        from: Conversation.resume({ ...Dialogue.settings, ...settings }, entries, 60_000)
      })

    it("goes on with a contact who was not connected", () => {
      assert.deepStrictEqual(resumed([turn, noted(900), over]), [
        "60000 note no transfer to Reception",
        "60000 ask not transferred to Reception"
      ])
    })

    it("goes on likewise when its process has died before the carrier was asked", () => {
      assert.deepStrictEqual(resumed([turn, noted(900)]), [
        "60000 note no transfer to Reception",
        "60000 ask not transferred to Reception"
      ])
    })

    it("is told to the agent once", () => {
      assert.deepStrictEqual(resumed([turn, noted(900), over, noted(2000, true), { ...turn, at: 3000 }]), [
        "60000 ask Resumed"
      ])
    })
  })
})
