import { assert, it } from "@effect/vitest"
import { ScriptedAgent, TextAgent } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { TextAgentContract } from "@outdial/testkit/contracts"
import { Effect, Stream } from "effect"
import { describe } from "vitest"
import { phrasesOf } from "../../src/rules/conversation/Phrases.ts"

const italian = { ...phrasesOf("en"), goodbye: "Grazie, arrivederci." }

const brief = (language: string): TextAgent.ConversationBrief => ({
  accountId: Factories.accountId(),
  callId: Factories.callId(),
  contact: {},
  agent: Factories.agentBrief({ script: "A.", questions: ["Q?"], language })
})

/** What the agent says when everything is heard and the contact says these words. */
const said = (language: string, ...contact: ReadonlyArray<string>) =>
  Effect.scoped(Effect.gen(function*() {
    const agent = yield* TextAgent.TextAgent
    const talk = yield* agent.open(brief(language), [])
    const lines: Array<string> = []
    for (const input of [{ _tag: "Opening" as const }, ...contact.map((text) => ({ _tag: "Words" as const, text }))]) {
      for (const part of yield* Stream.runCollect(talk.reply(input, TextAgent.noTools))) {
        lines.push(part._tag === "Say" ? part.text : part._tag)
        if (part._tag === "Say") yield* talk.heard({ text: part.text, interrupted: false })
      }
    }
    return lines
  }))

describe("the scripted agent", () => {
  it.effect("holds a conversation in the agent's language", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* said("de-DE", "Hallo?", "Am Montag."), [
        "A.",
        "Q?",
        "Note",
        phrasesOf("de").goodbye,
        "End"
      ])
    }).pipe(Effect.provide(ScriptedAgent.layer)))

  it.effect("has your phrases for other languages", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* said("it-IT", "Pronto.", "Lunedì."), ["A.", "Q?", "Note", italian.goodbye, "End"])
      assert.include(yield* said("fr", "Oui.", "Lundi."), phrasesOf("fr").goodbye)
    }).pipe(Effect.provide(ScriptedAgent.layerOf({ phrases: { it: italian } }))))
})

TextAgentContract.contract("scripted", ScriptedAgent.layer)
