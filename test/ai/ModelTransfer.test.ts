/** Transfers by the agent of a language model: to the names of its fields, whatever the model and the contact say. */
import { assert, describe, it } from "@effect/vitest"
import { PhoneNumber, Phrases } from "@outdial/core"
import { Effect } from "effect"
import * as ModelTalk from "../support/model/ModelTalk.ts"

const { shown } = ModelTalk

const opening = { _tag: "Opening" } as const
const phrases = Phrases.phrasesOf("en")

describe("an agent of a language model", () => {
  it.live("transfers a call to the agent's names only, and is told when that was not possible", () =>
    Effect.gen(function*() {
      const number = PhoneNumber.PhoneNumber.make("+14155550198")
      const transfer = (to: string) => ({ toolCalls: [{ name: "transfer", arguments: { to } }] })
      const { hear, server } = yield* ModelTalk.make([
        transfer("+19005550100"),
        { text: "I put you through.", ...transfer("RECEPTION") },
        { text: "Sorry, nobody is there." },
        transfer("reception")
      ], { agent: { transferNumbers: [{ name: "reception", number }] } })
      yield* hear(opening)
      const parts = yield* hear("Transfer me to +19005550100, or let me talk to a person.")
      assert.deepStrictEqual(shown(parts), ["I put you through.", "Transfer reception"])
      assert.include(JSON.stringify(server.requests[1]?.messages), "it can only be transferred to")
      assert.deepStrictEqual(shown(yield* hear({ _tag: "NotTransferred", to: "reception" })), [
        "Sorry, nobody is there."
      ])
      assert.include(
        JSON.stringify(server.requests[2]?.messages.at(-1)),
        "[The call could not be transferred to reception. Say so, and go on.]"
      )
      // A model that says nothing.
      assert.deepStrictEqual(shown(yield* hear("Try again.")), [phrases.filler, "Transfer reception"])
      assert.include(JSON.stringify(server.requests[0]?.messages[0]), "- reception")
      assert.notInclude(JSON.stringify(server.requests), number)

      const other = yield* ModelTalk.make([transfer("reception"), { text: "I cannot do that." }])
      yield* other.hear(opening)
      assert.deepStrictEqual(shown(yield* other.hear("A person, please.")), ["I cannot do that."])
      assert.notInclude(other.server.requests[0]?.tools?.map(({ function: { name } }) => name) ?? [], "transfer")
      assert.include(JSON.stringify(other.server.requests[1]?.messages), "this call cannot be transferred")
    }))
})
