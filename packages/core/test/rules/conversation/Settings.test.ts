import { assert, it } from "@effect/vitest"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"
import { phrasesOf } from "../../../src/rules/conversation/Phrases.ts"
import { settingsOf } from "../../../src/rules/conversation/Settings.ts"

const phrases = phrasesOf("en")

describe("the settings of a conversation", () => {
  it("are those of the agent, in milliseconds", () => {
    const brief = Factories.agentBrief({
      disclosure: "I am an AI.",
      maxDurationSeconds: 60,
      silenceSeconds: 5,
      interruptible: false,
      voicemailMessage: "Call us.",
      endPhrases: ["wrong number"],
      transferNumbers: []
    })
    assert.deepStrictEqual(settingsOf(brief, phrases), {
      phrases,
      disclosure: "I am an AI.",
      maxDuration: 60_000,
      silence: 5_000,
      interruptible: false,
      voicemailMessage: "Call us.",
      endPhrases: ["wrong number"],
      transferNumbers: []
    })
  })

  it("have no voicemail message when the agent hangs up on voicemail", () => {
    const brief = Factories.agentBrief({ voicemailMessage: "Call us.", voicemail: "hang_up" })
    assert.isUndefined(settingsOf(brief, phrases).voicemailMessage)
  })
})
