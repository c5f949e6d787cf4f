import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { answered, hears, isDone, linesOf, notes, plays, says, settings, stops } from "../../support/Dialogue.ts"

const { goodbye, optedOut } = settings.phrases
const options = { settings: { endPhrases: ["Wrong number", "¡Basta ya!"] } }

/** What happens when the contact answers the opening with these words. */
const after = (words: string) =>
  linesOf([[0, answered, says("Is this Grace?"), isDone], [900, plays()], [2000, hears(words)]], options).slice(3)

const politely = (words: string) => [
  `2000 contact: ${words}`,
  `2000 speak ${goodbye} (to the end)`
]

describe("a phrase that ends the call", () => {
  for (const words of ["Wrong number.", "Sorry, you have the WRONG number!", "basta ya", "No, ¡basta, ya!"]) {
    it(`is found in "${words}": the agent is not asked, and says goodbye`, () => {
      assert.deepStrictEqual(after(words), politely(words))
    })
  }

  for (const words of ["What a wrong numbering.", "The number is wrong.", "Basta."]) {
    it(`is not found in "${words}"`, () => {
      assert.deepStrictEqual(after(words), [`2000 contact: ${words}`, `2000 ask "${words}"`])
    })
  }

  it("hangs up when the goodbye was heard", () => {
    const lines = linesOf(
      [[0, answered, says("Hello."), isDone], [900, plays()], [2000, hears("Wrong number.")], [4000, plays()]],
      options
    )
    assert.deepStrictEqual(lines.slice(-3), [`4000 agent: ${goodbye}`, "4000 over: agent_ended", "4000 hang up"])
  })

  it("interrupts the agent", () => {
    const lines = linesOf(
      [[0, answered, says("Is this Grace of Riverside?")], [500, hears("Wrong number.")], [510, stops("Is this")]],
      options
    )
    assert.deepStrictEqual(lines.slice(2), [
      "500 contact: Wrong number.",
      "500 interrupt the agent",
      "500 stop speaking",
      `500 speak ${goodbye} (to the end)`,
      "510 agent: Is this –"
    ])
  })

  it("leaves the disclosure its end", () => {
    const lines = linesOf([[0, answered], [500, hears("Wrong number.")], [2000, plays()]], {
      settings: { ...options.settings, disclosure: "I am an AI." }
    })
    assert.notInclude(lines, "500 stop speaking")
    assert.include(lines, "2000 agent: I am an AI.")
    assert.include(lines, `500 speak ${goodbye} (to the end)`)
  })

  it("does not hide an opt-out: the number is added to the do-not-call list", () => {
    assert.deepStrictEqual(after("Wrong number, do not call me again."), [
      "2000 contact: Wrong number, do not call me again.",
      "2000 opt out",
      "2000 note OptOut",
      `2000 speak ${optedOut} (to the end)`
    ])
  })

  it("does not opt out twice", () => {
    const lines = linesOf([
      [0, answered, says("Is this Grace?"), isDone],
      [900, plays()],
      [2000, hears("Stop calling.")],
      [2100, notes({ _tag: "OptOut" }), hears("Wrong number, stop calling.")]
    ], options)
    assert.deepStrictEqual(lines.filter((line) => line.endsWith("opt out")), ["2000 opt out"])
  })
})
