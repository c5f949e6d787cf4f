import { assert, it } from "@effect/vitest"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"
import { agentBrief } from "../../../src/rules/call/AgentBrief.ts"
import * as Script from "../../../src/rules/call/Script.ts"

const agent = {
  ...Factories.agentDefinition({
    script: "About {{topic}}.",
    firstMessage: "Hello {{contact.name}}, it is {{day}}.",
    disclosure: "I call for {{company}}.",
    voicemailMessage: "Call {{phone}} about {{topic}}, {{1st}}{{contact.email}}.",
    variables: [{ key: "company", default: "Riverside" }]
  }),
  version: 1,
  createdAt: Factories.start,
  updatedAt: Factories.start
}

describe("the agent of one call", () => {
  it("has every text with its placeholders filled", () => {
    const call = { contact: { name: "Grace" }, variables: { topic: "Tuesday", day: 3 } }
    const { disclosure, firstMessage, script, voicemailMessage } = agentBrief(agent, call)
    assert.deepStrictEqual({ disclosure, firstMessage, script, voicemailMessage }, {
      disclosure: "I call for Riverside.",
      firstMessage: "Hello Grace, it is 3.",
      script: "About Tuesday.",
      voicemailMessage: "Call  about Tuesday, ."
    })
  })

  it("has the defaults of the fields that the agent does not set", () => {
    const { endPhrases, interruptible, maxDurationSeconds, silenceSeconds, voicemail } = agentBrief(
      { ...agent, silenceSeconds: 5 },
      { contact: {}, variables: {} }
    )
    assert.deepStrictEqual({ endPhrases, interruptible, maxDurationSeconds, silenceSeconds, voicemail }, {
      endPhrases: [],
      interruptible: true,
      maxDurationSeconds: 600,
      silenceSeconds: 5,
      voicemail: "leave_message"
    })
  })

  it("needs the variables of its script, first message and disclosure, and not those of its voicemail message", () => {
    assert.deepStrictEqual(Script.variables(agent), [
      { key: "topic", required: true },
      { key: "day", required: true },
      { key: "company", required: false, default: "Riverside" },
      { key: "phone", required: false }
    ])
    assert.deepStrictEqual(Script.missing(agent, {}), ["topic", "day"])
  })
})
