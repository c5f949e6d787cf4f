import { assert, describe, it } from "@effect/vitest"
import { TextAgent } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Queue } from "effect"
import * as AgentTalk from "../../src/conversation/AgentTalk.ts"
import * as BusyWork from "../../src/conversation/BusyWork.ts"
import type { Input } from "../../src/rules/conversation/Conversation.ts"

const brief: TextAgent.ConversationBrief = {
  accountId: Factories.accountId(),
  callId: Factories.callId(),
  agent: Factories.agentBrief(),
  contact: {}
}

describe("the agent's side of a conversation", () => {
  it.effect("has each part taken before it is asked for the next, also when all of them are there at once", () => {
    const happened: Array<string> = []
    const textAgent = TextAgent.TextAgent.layerOf(async function*() {
      for (const text of ["One.", "Two.", "Three."]) {
        happened.push(`made ${text}`)
        yield { _tag: "Say", text }
      }
    })
    return Effect.gen(function*() {
      const inputs = yield* Queue.unbounded<Input>()
      const taken = yield* Effect.forkChild(Effect.gen(function*() {
        while (true) {
          const input = yield* Queue.take(inputs)
          if (input._tag === "Done") return
          if (input._tag === "Part" && input.part._tag === "Say") happened.push(`taken ${input.part.text}`)
        }
      }))
      const talk = yield* AgentTalk.make({
        brief,
        before: [],
        busy: BusyWork.makeUnsafe(),
        offer: (input) => Queue.offer(inputs, input),
        onPart: () => {},
        textAgent: yield* TextAgent.TextAgent,
        toolsOf: () => TextAgent.noTools
      })
      yield* talk.ask(1, { _tag: "Opening" })
      yield* Fiber.join(taken)
      assert.deepStrictEqual(happened, [
        "made One.",
        "taken One.",
        "made Two.",
        "taken Two.",
        "made Three.",
        "taken Three."
      ])
    }).pipe(Effect.provide(textAgent))
  })
})
