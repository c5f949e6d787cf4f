/** Calls with a model that hears and speaks itself: the engine, a line that exchanges sound, and a service over real WebSockets. */
import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, it } from "@effect/vitest"
import { Realtime } from "@outdial/ai"
import { Phrases, type TextAgent, TextToSpeech, Tool, type VoiceAgent } from "@outdial/core"
import { Deferred, Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { describe } from "vitest"
import * as AudioCall from "../support/speech/AudioCall.ts"
import * as FakeRealtime from "../support/speech/FakeRealtime.ts"
import * as SoundedText from "../support/speech/SoundedText.ts"

const { until } = AudioCall

const secret = "key-123456"
const phrases = Phrases.phrasesOf("en")

const agent = {
  script: "Hello, this is Ada.\n\nAsk kindly.",
  questions: ["Will you come?"],
  variables: [],
  disclosure: "I am a machine."
}

type Conversation = ReadonlyArray<FakeRealtime.Item>

/** What the contact said last. */
const last = (conversation: Conversation) => conversation.findLast(({ role }) => role === "user")?.text ?? ""

const shown = (conversation: Conversation) =>
  conversation.map(({ name, role, text, type }) => `${role ?? name ?? type}: ${text}`)

/** An answer to each thing that the contact says, and to what a tool has returned. */
const answering = (answers: Readonly<Record<string, FakeRealtime.Answer>>, afterTools: FakeRealtime.Answer = {}) =>
(
  conversation: Conversation
) =>
  conversation.at(-1)?.type === "function_call_output" ? afterTools : answers[last(conversation)] ?? { text: "Pardon?" }

/** A call, and the service that talks in it. */
const calling = <A, E, R>(
  options: Omit<FakeRealtime.Options, "key">,
  talk: (
    call: Effect.Success<typeof AudioCall.answered>,
    service: FakeRealtime.FakeRealtime
  ) => Effect.Effect<A, E, R>,
  { agent: more = {}, tools, url, voice = Layer.empty }: {
    readonly agent?: object
    readonly tools?: ReadonlyArray<Tool.Tool>
    readonly url?: string
    readonly voice?: Layer.Layer<TextToSpeech.TextToSpeech> | Layer.Layer<never>
  } = {}
) =>
  Effect.gen(function*() {
    const service = yield* FakeRealtime.make({ key: secret, ...options })
    const voiceAgent: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent> = Realtime.layer({
      key: Redacted.make(secret),
      model: "gpt-realtime",
      url: url ?? `${service.url}/v1/realtime`
    }).pipe(Layer.provide([NodeWS.layerWebSocketConstructor, voice]))
    yield* Effect.gen(function*() {
      const call = yield* AudioCall.answered
      yield* talk(call, service)
    }).pipe(
      Effect.provide(AudioCall.layer({ voiceAgent, agent: { ...agent, ...more }, ...tools !== undefined && { tools } }))
    )
    assert.deepStrictEqual(service.problems, [])
  })

describe("a call with a realtime model", () => {
  it.effect("is talked through: words of both sides, answers, tokens and the end are on record", () =>
    calling({
      answer: answering({
        "Hello.": { text: "Good morning. Will you come?" },
        "Yes, gladly.": { calls: [{ name: "record_answer", arguments: { question: 1, answer: "Yes, gladly." } }] }
      }, { text: "See you then. Goodbye.", calls: [{ name: "end_call", arguments: {} }] })
    }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("I am a machine.Hello, this is Ada.")
        yield* call.says("Hello.")
        yield* call.hears("Good morning. Will you come?")
        yield* call.says("Yes, gladly.")
        assert.strictEqual(yield* Fiber.join(call.held), "over")
        assert.isTrue(call.heard().endsWith("See you then. Goodbye."))
        const { lines, notes, status, usage } = yield* call.ended
        assert.deepStrictEqual(lines, [
          "agent: I am a machine.",
          "agent: Hello, this is Ada.",
          "contact: Hello.",
          "agent: Good morning.",
          "agent: Will you come?",
          "contact: Yes, gladly.",
          "agent: See you then.",
          "agent: Goodbye."
        ])
        assert.strictEqual(status, "completed")
        assert.deepStrictEqual(notes.map(({ _tag }) => _tag), ["Answer"])
        assert.strictEqual(service.early(), 2)
        // Three answers, and the words that it has read aloud.
        assert.strictEqual(usage[0]?.model, "gpt-realtime")
        assert.strictEqual(usage[0]?.requests, 3)
        assert.strictEqual(usage[0]?.inputTokens, 20 * service.responses())
        assert.strictEqual(usage[0]?.outputTokens, 10 * service.responses())
        assert.deepStrictEqual(shown(service.conversation()).slice(0, 4), [
          "assistant: I am a machine.",
          "assistant: Hello, this is Ada.",
          "user: Hello.",
          "assistant: Good morning. Will you come?"
        ])
        const { audio, instructions, tools } = service.settings()
        assert.deepInclude(audio, {
          output: { format: { type: "audio/pcmu" }, voice: "marin" }
        })
        assert.include(instructions as string, "Ask kindly.")
        assert.deepInclude(JSON.stringify(tools), "record_answer")
      })))

  it.effect("falls silent when the contact interrupts, and the model knows only what was heard", () =>
    calling({
      pieceAfter: 3,
      answer: answering({
        "Hello.": { text: "We are open from nine to five on all days of the week. Will you come?" },
        "Wait a moment please.": { text: "Of course." }
      })
    }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        yield* call.setHeld(true)
        const before = call.given()
        yield* call.says("Hello.")
        yield* until(() => call.given() > before + 1_300)
        // 60 ms for each letter: "We are open from ni".
        yield* call.playTo(before + 19 * 60)
        yield* call.says("Wait a moment please.")
        yield* until(() => call.given() === 0)
        yield* call.setHeld(false)
        yield* call.hears("Of course.")
        assert.strictEqual(service.truncated.length, 1)
        assert.closeTo(service.truncated[0]?.millis ?? 0, 19 * 60, 300)
        const conversation = shown(service.conversation())
        assert.deepStrictEqual(conversation.slice(-4), [
          "user: Hello.",
          "assistant: ",
          "user: Wait a moment please.",
          "assistant: Of course."
        ])
        yield* call.hangsUp
        yield* Fiber.join(call.held)
        const { lines, usage } = yield* call.ended
        assert.deepStrictEqual(lines.slice(2), [
          "contact: Hello.",
          "agent: We are open from –",
          "contact: Wait a moment please.",
          "agent: Of course."
        ])
        assert.strictEqual(usage[0]?.inputTokens, 20 * service.responses())
      })))

  it.effect("is connected again once, told what was said, and ends with the fallback after that", () =>
    calling({
      answer: answering({ "Hello.": { text: "Good morning." }, "Who is it?": { text: "It is Ada." } })
    }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        yield* call.says("Hello.")
        yield* call.hears("Good morning.")
        service.cut()
        yield* until(() => service.connections.length === 2 && service.conversation().length >= 4)
        yield* call.says("Who is it?")
        yield* call.hears("It is Ada.")
        assert.deepStrictEqual(shown(service.conversation()).slice(0, 5), [
          "user: [The contact has answered the telephone.]",
          "assistant: I am a machine. Hello, this is Ada.",
          "user: Hello.",
          "assistant: Good morning.",
          "user: Who is it?"
        ])
        service.cut()
        assert.strictEqual(yield* Fiber.join(call.held), "over")
        assert.isTrue(call.heard().endsWith(phrases.fallback))
        assert.strictEqual((yield* call.ended).lines.at(-1), `agent: ${phrases.fallback}`)
      })))

  it.effect("answers a turn that was lost with the connection before it was recognized", () => {
    let service: FakeRealtime.FakeRealtime | undefined
    return calling({
      answer: (conversation) => {
        if (last(conversation) === "Hello.") service?.cut()
        return { text: "Could you say that again?" }
      }
    }, (call, made) =>
      Effect.gen(function*() {
        service = made
        yield* call.hears("Hello, this is Ada.")
        yield* call.says("Hello.")
        yield* call.hears("Could you say that again?")
        // Once.
        assert.deepStrictEqual(shown(made.conversation()).slice(0, 4), [
          "user: [The contact has answered the telephone.]",
          "assistant: I am a machine. Hello, this is Ada.",
          "user: (unintelligible)",
          "assistant: Could you say that again?"
        ])
        yield* call.hangsUp
        yield* Fiber.join(call.held)
        assert.deepStrictEqual((yield* call.ended).lines.slice(2), [
          "contact: (unintelligible)",
          "agent: Could you say that again?"
        ])
      }))
  })

  it.effect("is told once of a key that was pressed while the connection was lost", () =>
    calling({ answer: () => ({ text: "Thank you." }) }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        service.cut()
        yield* until(() => service.open() === 0)
        yield* call.presses("1")
        yield* call.hears("Thank you.")
        assert.deepStrictEqual(shown(service.conversation()), [
          "user: [The contact has answered the telephone.]",
          "assistant: I am a machine. Hello, this is Ada.",
          "user: [The contact has pressed 1.]",
          "assistant: Thank you."
        ])
        yield* call.hangsUp
        yield* Fiber.join(call.held)
      })))

  it.effect("is connected again when nothing comes of an answer", () => {
    let silent = 0
    return calling({
      answer: (conversation) =>
        last(conversation) === "Hello." && silent++ === 0 ? { isSilent: true } : { text: "Good morning." }
    }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        yield* call.says("Hello.")
        yield* until(() => silent === 1)
        for (let half = 0; service.connections.length === 1; half++) {
          assert.isBelow(half, 16)
          yield* TestClock.adjust("500 millis")
          yield* Effect.replicateEffect(Effect.promise(() => new Promise(setImmediate)), 20)
        }
        yield* until(() => service.conversation().length > 2)
        yield* TestClock.adjust("500 millis")
        yield* call.hears("Good morning.")
        yield* call.hangsUp
        yield* Fiber.join(call.held)
      }))
  })

  it.effect("answers no noise, and nobody who does not want to be called", () =>
    calling({ answer: answering({ "...": { text: "Hello?" } }) }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        yield* call.says("...")
        yield* until(() => service.received() > 50)
        yield* call.says("Do not call me again.")
        assert.strictEqual(yield* Fiber.join(call.held), "over")
        assert.isTrue(call.heard().endsWith(phrases.optedOut))
        const { lines, notes, usage } = yield* call.ended
        assert.deepStrictEqual(lines.slice(2), ["contact: Do not call me again.", `agent: ${phrases.optedOut}`])
        // No answer has the tokens of what was dropped and read aloud.
        assert.strictEqual(usage[0]?.inputTokens, 20 * service.responses())
        assert.deepStrictEqual(notes.map(({ _tag }) => _tag), ["OptOut"])
        assert.notInclude(JSON.stringify(service.conversation()), "...")
      })))

  it.effect("answers keys, and words that only the model has understood", () =>
    calling({
      answer: answering({
        "M#mble.": { text: "I have understood that." },
        "[The contact has pressed 5.]": { text: "You have pressed five." }
      })
    }, (call) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        yield* call.says("M#mble.")
        yield* call.hears("I have understood that.")
        yield* call.presses("5")
        yield* call.hears("You have pressed five.")
        yield* call.hangsUp
        yield* Fiber.join(call.held)
        assert.deepStrictEqual((yield* call.ended).lines.slice(2), [
          "contact: (unintelligible)",
          "agent: I have understood that.",
          "contact: 5",
          "agent: You have pressed five."
        ])
      })))

  it.effect("says words of ours as they are, or not at all", () => {
    let wrong = 1
    return calling({
      // Once it adds something.
      reads: (text) => text.startsWith("I am") && wrong-- > 0 ? `${text} Really.` : text,
      answer: answering({ "Hello.": { text: "Good morning." } })
    }, (call) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        assert.notInclude(call.heard(), "Really")
        assert.include(call.heard(), "machine.")
        yield* call.hangsUp
        yield* Fiber.join(call.held)
      }))
  })

  it.effect("has another voice say what the model does not say as it is", () =>
    calling({
      reads: () => "As an AI, I cannot do that.",
      answer: answering({ "Hello.": { text: "Good morning." } })
    }, (call) =>
      Effect.gen(function*() {
        yield* call.hears("i am a machine.hello, this is ada.")
        yield* call.says("Hello.")
        yield* call.hears("Good morning.")
        yield* call.hangsUp
        yield* Fiber.join(call.held)
      }), { voice: lowerCase }))

  it.effect("ends when the model says nothing as it is, and there is no other voice", () =>
    calling({ reads: () => "As an AI, I cannot do that.", answer: answering({}) }, (call) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* Fiber.join(call.held), "over")
        assert.strictEqual(call.heard(), "")
        assert.deepStrictEqual((yield* call.ended).lines, [])
      })))

  it.effect("runs tools of the host once, and tells the model what came of them", () => {
    const asked: Array<string> = []
    const lookUp = Tool.make({
      name: "look_up",
      description: "Looks up a visit",
      parameters: Schema.Struct({ day: Schema.String }),
      run: ({ day }) =>
        Effect.sync(() => {
          asked.push(day)
          return { free: true }
        })
    })
    return calling({
      answer: answering({ "Is Monday free?": { calls: [{ name: "look_up", arguments: { day: "Monday" } }] } }, {
        text: "Monday is free."
      })
    }, (call, service) =>
      Effect.gen(function*() {
        yield* call.hears("Hello, this is Ada.")
        yield* call.says("Is Monday free?")
        yield* call.hears("Monday is free.")
        assert.deepStrictEqual(asked, ["Monday"])
        assert.deepInclude(shown(service.conversation()), "function_call_output: {\"free\":true}")
        yield* call.hangsUp
        yield* Fiber.join(call.held)
      }), { tools: [lookUp], agent: { tools: ["look_up"] } })
  })

  it.effect("tells the model what came of a tool that the contact has interrupted, also when it returns later", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const free = yield* Deferred.make<object>()
      const book = Tool.make({
        name: "book",
        description: "Books a visit",
        parameters: Schema.Struct({ day: Schema.String }),
        run: () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(free))
      })
      const outputs = (conversation: Conversation) =>
        conversation.flatMap(({ text, type }) => type === "function_call_output" ? [text] : [])
      const asked: Array<ReadonlyArray<string>> = []
      yield* calling({
        answer: (conversation) => {
          asked.push(outputs(conversation))
          return last(conversation) === "Is Monday free?"
            ? { calls: [{ name: "book", arguments: { day: "Monday" } }] }
            : { text: `I have heard: ${last(conversation)}` }
        }
      }, (call, service) =>
        Effect.gen(function*() {
          yield* call.hears("Hello, this is Ada.")
          yield* call.says("Is Monday free?")
          yield* Deferred.await(begun)
          yield* call.says("Or Tuesday?")
          yield* call.hears("I have heard: Or Tuesday?")
          assert.deepStrictEqual(asked.at(-1), ["It is still running."])
          yield* Deferred.succeed(free, { booked: "Monday" })
          yield* until(() => outputs(service.conversation()).length === 2)
          assert.strictEqual(outputs(service.conversation()).at(-1), "{\"booked\":\"Monday\"}")
          yield* call.hangsUp
          yield* Fiber.join(call.held)
        }), { tools: [book], agent: { tools: ["book"] } })
    }))

  it.effect("is over at once when the service refuses the key, and the error does not have it", () =>
    Effect.gen(function*() {
      const service = yield* FakeRealtime.make({ key: "another", answer: () => ({}) })
      const url = `${service.url}/v1/realtime`
      const check = (options: Partial<Realtime.RealtimeOptions>) =>
        Realtime.check({ key: Redacted.make(secret), model: "gpt-realtime", url, ...options }).pipe(
          Effect.flip,
          Effect.map((error) => {
            assert.notInclude(inspect(error, { depth: 10 }), secret)
            return error.message
          }),
          Effect.provide(NodeWS.layerWebSocketConstructor)
        )
      assert.strictEqual(yield* check({}), "The realtime service: it refuses the key")
      const key = Redacted.make("another")
      assert.strictEqual(
        yield* check({ key, voice: "nobody" }),
        "The realtime service: it refuses the session (it has reported the error invalid_value)"
      )
      service.setCondition("nonsense")
      assert.strictEqual(yield* check({ key }), "The realtime service: its answer is not JSON: check its address")
      yield* calling({ answer: () => ({}) }, (call) =>
        Effect.gen(function*() {
          assert.strictEqual(yield* Fiber.join(call.held), "over")
          assert.deepStrictEqual([call.heard(), call.done], ["", ["hang up"]])
        }), { url })
    }))
})

/** Another voice: it speaks in lower case. */
const lowerCase = Layer.succeed(TextToSpeech.TextToSpeech, {
  open: () => Effect.succeed({ speak: (text: string) => Stream.make(SoundedText.of(text.toLowerCase())) })
}) satisfies Layer.Layer<TextToSpeech.TextToSpeech>
