import { assert, it } from "@effect/vitest"
import { Activity, type Conversation, KeyboardCall, TextAgent, TypedLine } from "@outdial/core"
import { Effect, Fiber } from "effect"
import { describe } from "vitest"
import * as ScriptedContact from "../../../src/cli/conversation/ScriptedContact.ts"

const agent = { name: "Ada", script: "Hello.", questions: [], dispositions: ["done"] }
const silent: TypedLine.Speaker = { begins: Effect.void, says: () => Effect.void, ends: () => Effect.void }

/** Holds a call with this agent, and a contact who says these words. */
const hold = Effect.fnUntraced(
  function*(answer: Parameters<typeof TextAgent.TextAgent.layerOf>[0], ...said: ReadonlyArray<string>) {
    const activity = Activity.make()
    const entries: Array<Conversation.Entry> = []
    const line = yield* TypedLine.make({ activity, pace: 0, speaker: silent })
    const script = said.map((words) => ({ _tag: "Words", words }) as const)
    const speaking = ScriptedContact.speak({ activity, line, script, onLine: () => Effect.void })
    const contact = yield* Effect.forkScoped(Effect.andThen(activity.begun, speaking))
    yield* KeyboardCall.hold({
      activity,
      agent,
      contact: {},
      variables: {},
      line: line.line,
      textAgent: TextAgent.TextAgent.layerOf(answer),
      onEntry: (entry) => Effect.sync(() => void entries.push(entry))
    })
    yield* Fiber.join(contact)
    return entries
  }
)

describe("a call at the keyboard", () => {
  it.live("gives the agent each turn once, in order", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<string>> = []
      yield* hold(
        async function*({ entries, input }) {
          seen.push(entries.map((entry) => entry._tag === "Turn" ? entry.text : entry._tag))
          yield { _tag: "Say", text: input._tag === "Words" ? `You said ${input.text}.` : "Hello." }
        },
        "one",
        "two"
      )
      assert.deepStrictEqual(seen, [
        [],
        ["Hello.", "one"],
        ["Hello.", "one", "You said one.", "two"]
      ])
    }))

  it.live("ends with the fallback phrase when the agent fails", () =>
    Effect.gen(function*() {
      const entries = yield* hold(async function*() {
        throw new Error("no model")
      }, "hello")
      assert.deepStrictEqual(entries.map(({ _tag }) => _tag), ["Failed", "Turn", "Over"])
      assert.deepInclude(entries.at(-1), { reason: "agent_failed" })
    }))
})
