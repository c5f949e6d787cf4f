import { assert, it } from "@effect/vitest"
import { Agent, Decoding, Script } from "@outdial/core"
import { Effect } from "effect"
import { describe } from "vitest"

const agent = {
  script: "Hello {{contact.name}}, {{ topic }} on {{day of week}}. {{topic}}! {{contact.email}}",
  variables: [{ key: "day of week", default: "Monday" }, { key: "unused" }]
}

describe("Script", () => {
  it("lists the variables that calls fill, in the order of the script, each once, built-in ones not", () => {
    assert.deepStrictEqual(Script.variables(agent), [
      { key: "topic", required: true },
      { key: "day of week", required: false, default: "Monday" },
      { key: "unused", required: false }
    ])
  })

  it("reports only placeholders without a value and a default", () => {
    assert.deepStrictEqual(Script.missing(agent, {}), ["topic"])
    assert.deepStrictEqual(Script.missing(agent, { topic: "" }), [])
  })

  it("reads no value from an object's prototype", () => {
    assert.deepStrictEqual(Script.missing({ script: "{{constructor}}" }, {}), ["constructor"])
  })

  it("renders values, then defaults, and built-in placeholders empty when the contact lacks them", () => {
    const rendered = Script.render(agent, agent.script, { contact: { name: "Grace" }, variables: { topic: 3 } })
    assert.strictEqual(rendered, "Hello Grace, 3 on Monday. 3! ")
  })

  it("leaves no blank before punctuation where a contact has no value", () => {
    const render = (text: string, name?: string) =>
      Script.render({}, text, { contact: name === undefined ? {} : { name }, variables: { empty: "" } })
    for (
      const [text, without, named] of [
        ["Hello {{contact.name}}, this is Ada.", "Hello, this is Ada.", "Hello Grace, this is Ada."],
        ["Is this {{ contact.name }}?", "Is this?", "Is this Grace?"],
        ["{{contact.name}}, hello {{contact.name}} there", ", hello  there", "Grace, hello Grace there"],
        ["Ada {{empty}} {{contact.email}}!", "Ada !", "Ada !"],
        ["A blank , stays {{contact.name}} .", "A blank , stays  .", "A blank , stays Grace ."]
      ] as const
    ) {
      assert.deepStrictEqual([render(text), render(text, "Grace")], [without, named])
    }
  })

  it("renders a value as text, whatever it contains", () => {
    const values = { contact: {}, variables: { topic: "$& {{contact.email}} $1" } }
    assert.strictEqual(Script.render({}, "{{topic}}", values), "$& {{contact.email}} $1")
  })

  const decode = Decoding.decoding(Agent.AgentDefinition)
  const definition = { name: "Ada", questions: [], dispositions: ["done"] }

  for (const key of ["1st", "a-b", "", "contact.phone", "x".repeat(41), "naïve"]) {
    it.effect(`refuses an agent with the placeholder {{${key}}}, which no call can fill`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(decode({ ...definition, script: `Hi {{${key}}}` }))
        assert.deepStrictEqual(error.problems.map(({ path }) => path), [["script"]])
      }))
  }

  it.effect("refuses an agent without dispositions", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(decode({ ...definition, script: "Hi", dispositions: [] }))
      assert.deepStrictEqual(error.problems.map(({ path }) => path), [["dispositions"]])
    }))
})
