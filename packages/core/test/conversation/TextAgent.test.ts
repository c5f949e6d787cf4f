import { assert, it } from "@effect/vitest"
import { type Conversation, TextAgent } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { TextAgentContract } from "@outdial/testkit/contracts"
import { Effect, Fiber, Stream } from "effect"
import { describe } from "vitest"

type Talk = TextAgent.TalkSoFar
type Part = Conversation.AgentPart

const never = new Promise<never>(() => {})

const layerOf = TextAgent.TextAgent.layerOf

const brief: TextAgent.ConversationBrief = {
  accountId: Factories.accountId(),
  callId: Factories.callId(),
  contact: { name: "Grace" },
  agent: Factories.agentBrief()
}

/** What an agent of this function answers to these inputs; of each answer at most ten parts. */
const answers = (answer: (talk: Talk) => AsyncIterable<unknown>, ...inputs: ReadonlyArray<Conversation.AgentInput>) =>
  Effect.scoped(Effect.gen(function*() {
    const agent = yield* TextAgent.TextAgent
    const talk = yield* agent.open(brief, [])
    const all: Array<Part> = []
    for (const input of inputs.length === 0 ? [opening] : inputs) {
      const parts = yield* Stream.runCollect(Stream.take(talk.reply(input, TextAgent.noTools), 10))
      for (const part of parts) if (part._tag === "Say") yield* talk.heard({ text: part.text, interrupted: false })
      all.push(...parts)
    }
    return all
    // Functions of JavaScript can yield anything.
  })).pipe(Effect.provide(layerOf(answer as (talk: Talk) => AsyncIterable<Part>)))

const opening = { _tag: "Opening" } as const
const say = (text: string): Part => ({ _tag: "Say", text })

describe("an agent that is a plain function", () => {
  it.effect("is given the call, the input and what was said, and answers part by part", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const parts = yield* answers(
        async function*({ agent, contact, entries, input }) {
          seen.push([
            agent.name,
            contact.name,
            input._tag,
            ...entries.map((entry) => entry._tag === "Turn" ? entry.text : entry._tag)
          ])
          if (input._tag === "Words") yield { _tag: "Note", note: { _tag: "Callback" } }
          yield say(`Answer to ${input._tag}`)
        },
        opening,
        { _tag: "Words", text: "Call me back." },
        { _tag: "Digits", digits: "1" }
      )
      assert.deepStrictEqual(seen, [
        ["Ada", "Grace", "Opening"],
        ["Ada", "Grace", "Words", "Answer to Opening", "Call me back."],
        ["Ada", "Grace", "Digits", "Answer to Opening", "Call me back.", "Noted", "Answer to Words", "1"]
      ])
      assert.deepStrictEqual(parts.map(({ _tag }) => _tag), ["Say", "Note", "Say", "Say"])
    }))

  it.effect("has words once that were asked again with the words after them", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<string>> = []
      yield* answers(
        async function*({ entries }) {
          seen.push(entries.flatMap((entry) => entry._tag === "Turn" ? [entry.text] : []))
          if (seen.length > 5) yield say("Never.")
        },
        { _tag: "Words", text: "I would like" },
        { _tag: "Words", text: "I would like to come." }
      )
      assert.deepStrictEqual(seen, [["I would like"], ["I would like to come."]])
    }))

  it.effect.each([
    ["throws before it begins", () => {
      throw new Error("no model")
    }],
    ["throws after a part", async function*() {
      yield say("Hello.")
      throw new Error("no model")
    }]
  ] as ReadonlyArray<[string, (talk: Talk) => AsyncIterable<unknown>]>)(
    "fails with its reason when it %s",
    ([, answer]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(answers(answer))
        assert.strictEqual(error._tag, "AgentFailed")
        assert.strictEqual(error.message, "The agent failed: no model")
      })
  )

  it.effect.each([
    ["nothing", undefined, "A part must be an object whose _tag is"],
    ["text", "Hello.", "A part must be an object whose _tag is"],
    ["an unknown part", { _tag: "Sing" }, "whose _tag is Say, Press, Note, Transfer, ModelUsed or End"],
    ["a wrong text", { _tag: "Say", text: 7 }, "text must be text"],
    ["no text", { _tag: "Say" }, "text is required"],
    ["a wrong switch", { _tag: "Say", text: "Hello.", interruptible: "no" }, "interruptible must be true or false"],
    ["keys that no phone has", { _tag: "Press", digits: "one" }, "digits must have 1 to 64 of"],
    [
      "a note that is too long",
      { _tag: "Note", note: { _tag: "Answer", question: "Q", answer: "a".repeat(4001) } },
      "note.answer must have at most 4000"
    ]
  ] as ReadonlyArray<[string, unknown, string]>)(
    "fails and names the field when it yields %s",
    ([, part, message]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(answers(async function*() {
          yield part
        }))
        assert.include(error.message, message)
      })
  )

  it.effect("may answer for ever, of which only what is wanted is asked", () =>
    Effect.gen(function*() {
      let asked = 0
      const parts = yield* answers(async function*() {
        for (;;) yield say(`${asked++}`)
      })
      assert.strictEqual(parts.length, 10)
      assert.isAtMost(asked, 11)
    }))

  it.effect("may end twice and go on: the parts are the runner's to judge", () =>
    Effect.gen(function*() {
      const parts = yield* answers(async function*() {
        yield { _tag: "End" }
        yield { _tag: "End" }
      })
      assert.deepStrictEqual(parts, [{ _tag: "End" }, { _tag: "End" }])
    }))

  it.effect.each([
    ["never answers", async function*() {
      yield await never
    }],
    ["ignores its signal and does not end", async function*() {
      try {
        yield say("Hello.")
        yield await never
      } finally {
        await never
      }
    }]
  ] as ReadonlyArray<[string, () => AsyncIterable<Part>]>)(
    "is left at once when it %s",
    ([, answer]) =>
      Effect.scoped(Effect.gen(function*() {
        let signal: AbortSignal | undefined
        const layer = layerOf((talk) => {
          signal = talk.signal
          return answer()
        })
        const { open } = yield* Effect.provide(TextAgent.TextAgent, layer)
        const talk = yield* open(brief, [])
        const asked = yield* Effect.forkChild(Stream.runDrain(talk.reply(opening, TextAgent.noTools)), {
          startImmediately: true
        })
        for (let index = 0; index < 10; index++) yield* Effect.yieldNow
        assert.isFalse(signal?.aborted)
        yield* Fiber.interrupt(asked)
        assert.isTrue(signal?.aborted)
      }))
  )

  it.effect("is told to stop when the contact has heard enough", () =>
    Effect.gen(function*() {
      let close = () => {}
      const closed = new Promise<void>((resolve) => close = resolve)
      yield* answers(async function*() {
        try {
          for (;;) yield say("More.")
        } finally {
          close()
        }
      })
      yield* Effect.promise(() => closed)
    }))
})

TextAgentContract.contract(
  "a plain function",
  layerOf(async function*({ input }) {
    yield say(input._tag === "Words" ? `You said ${input.text}` : "Hello.")
  }),
  {
    fails: layerOf(async function*() {
      yield await Promise.reject(new Error("status 500"))
    }),
    hangs: layerOf(async function*() {
      yield await never
    })
  }
)
