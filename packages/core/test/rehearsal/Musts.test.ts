import { assert, it } from "@effect/vitest"
import type { Conversation } from "@outdial/core"
import { describe } from "vitest"
import { type Conversed, failures } from "../../src/rehearsal/Musts.ts"

const disclosure = "This call is recorded."

type Turn = Partial<Extract<Conversation.Entry, { readonly _tag: "Turn" }>>

const turn = (speaker: "agent" | "contact", text: string, at: number, endedAt = at, more: Turn = {}) =>
  ({ _tag: "Turn", speaker, text, at, endedAt, ...more }) as const

const over = (at: number): Conversation.Entry => ({ _tag: "Over", at, reason: "agent_ended" })

/** The musts that are not kept in a conversation with these entries. */
const broken = (entries: ReadonlyArray<Conversation.Entry>, conversed: Partial<Conversed> = {}) =>
  failures({
    agent: { maxDurationSeconds: 60, silenceSeconds: 10 },
    optOuts: ["Stop calling me."],
    isListed: false,
    agentFailures: [],
    entries,
    ...conversed
  }).map(({ must }) => must)

const disclosing = { agent: { maxDurationSeconds: 60, silenceSeconds: 10, disclosure } }

describe("the musts of a rehearsal", () => {
  it("are kept in a good conversation", () => {
    assert.deepStrictEqual(
      broken([
        turn("agent", disclosure, 0, 1_500),
        turn("agent", "Hello.", 1_500, 2_000),
        turn("contact", "Yes?", 3_000),
        turn("agent", "Goodbye.", 3_000, 4_000),
        over(4_000)
      ], disclosing),
      []
    )
    assert.deepStrictEqual(broken([]), [])
  })

  it("have every opt-out on the do-not-call list, also within other words", () => {
    const said = [turn("contact", "No! Stop calling me. I mean it.", 2_000), over(2_000)]
    assert.deepStrictEqual(broken(said), ["opt_outs"])
    assert.deepStrictEqual(broken(said, { isListed: true }), [])
    assert.deepStrictEqual(
      broken([turn("agent", "I will stop calling you. Stop calling me.", 0, 2_000), over(2_000)]),
      []
    )
  })

  it("have an end a minute after the longest duration at the latest", () => {
    const until = (at: number) => [
      ...Array.from({ length: 12 }, (_, index) => turn("agent", "Hm.", index * 10_000, index * 10_000 + 5_000)),
      over(at)
    ]
    assert.deepStrictEqual(broken(until(120_000)), [])
    assert.deepStrictEqual(broken(until(120_001)), ["duration"])
  })

  it("have no silence that is longer than the agent's, from the answer to the end", () => {
    assert.deepStrictEqual(broken([turn("agent", "Hello.", 13_001, 14_000), over(14_000)]), ["silence"])
    assert.deepStrictEqual(broken([turn("agent", "Hello.", 0, 1_000), over(14_000)]), [])
    assert.deepStrictEqual(broken([turn("agent", "Hello.", 0, 1_000), over(14_001)]), ["silence"])
    // The contact was speaking for most of this time.
    assert.deepStrictEqual(broken([turn("contact", "word ".repeat(60), 20_000), over(20_000)]), [])
  })

  it("have no monologue, unless the contact spoke or stopped the agent meanwhile", () => {
    const half = "word ".repeat(200)
    const most = [turn("agent", half, 0, 9_000), turn("agent", half, 9_000, 20_000)]
    assert.deepStrictEqual(broken([...most, over(20_000)]), ["monologue"])
    const [first, second] = most
    if (first === undefined || second === undefined) return
    assert.deepStrictEqual(broken([first, turn("contact", "Yes.", 9_000), second, over(20_000)]), [])
    assert.deepStrictEqual(broken([{ ...first, interrupted: true }, second, over(20_000)]), [])
    assert.deepStrictEqual(broken([turn("agent", half, 0, 20_000), over(20_000)]), [])
  })

  it("have the disclosure before any other words, however often it is stopped", () => {
    const hello = turn("agent", "Hello.", 3_000, 4_000)
    const cut = turn("agent", "This call", 0, 500, { interrupted: true })
    assert.deepStrictEqual(broken([hello, over(4_000)], disclosing), ["disclosure"])
    assert.deepStrictEqual(broken([cut, hello, over(4_000)], disclosing), ["disclosure"])
    assert.deepStrictEqual(broken([cut, turn("agent", disclosure, 500, 3_000), hello, over(4_000)], disclosing), [])
    assert.deepStrictEqual(broken([cut, over(500)], disclosing), [])
    assert.deepStrictEqual(broken([turn("contact", "Hello?", 500), over(500)], disclosing), [])
  })

  it("have an agent that does not fail", () => {
    assert.deepStrictEqual(broken([{ _tag: "Failed", at: 0, cause: "The agent failed" }, over(0)]), ["agent"])
  })
})
