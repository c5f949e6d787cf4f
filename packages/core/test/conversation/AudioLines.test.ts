/** Conversations on lines that exchange sound: the voice agent makes a text line of them, and the runner holds that. */
import { assert, describe, it } from "@effect/vitest"
import {
  AudioLine,
  Call,
  Calls,
  Conversation,
  Conversations,
  LineReports,
  Storage,
  TextAgent,
  VoiceAgent
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { type Cause, DateTime, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as CallSteps from "../support/CallSteps.ts"
import * as SilentCarrier from "../support/SilentCarrier.ts"

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()]

/** Its sound is text: what is said is played as the bytes of its words. */
const textAsSound: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent> = Layer.effect(
  VoiceAgent.VoiceAgent,
  Effect.map(TextAgent.TextAgent, (agent) => ({
    open: ({ brief, entries, line }) =>
      Effect.map(agent.open(brief, entries), (talk) => ({
        talk,
        line: {
          ...AudioLine.operationsOf(line),
          events: Stream.map(line.events, (event): Conversation.LineEvent => {
            switch (event._tag) {
              case "Audio":
                return { _tag: "Heard", text: decoder.decode(event.audio), isFinal: true }
              case "Digits":
                return event
              case "Marked":
                return { _tag: "Played", utterance: Number(event.mark) }
              case "Silenced":
                return { _tag: "Closed" }
            }
          }),
          speak: ({ id, text }) => Effect.andThen(line.play(encoder.encode(text)), line.mark(String(id))),
          stopSpeaking: Effect.asVoid(line.clear)
        }
      }))
  }))
)

const failing = (open: VoiceAgent.VoiceAgent["Service"]["open"]) => Layer.succeed(VoiceAgent.VoiceAgent, { open })

/** Lets everything happen that needs no time. */
const settled = Effect.replicateEffect(Effect.yieldNow, 100)

/** An answered call whose line plays at once what it is given; what was done with the line, and what the contact does. */
const answered = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const { id: callId } = yield* CallSteps.start("+14155550100")
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
  const events = yield* Queue.unbounded<AudioLine.AudioEvent, Cause.Done>()
  const done: Array<string> = []
  const log = (what: string) => Effect.sync(() => void done.push(what))
  const line: AudioLine.AudioLine = {
    format: "mulaw",
    events: Stream.fromQueue(events),
    play: (audio) => log(decoder.decode(audio)),
    mark: (mark) => Effect.asVoid(Queue.offer(events, { _tag: "Marked", mark })),
    clear: Effect.succeed(0),
    press: (digits) => log(`press ${digits}`),
    hangUp: Effect.andThen(log("hang up"), Queue.end(events)),
    release: Effect.void
  }
  const { hold } = yield* Conversations.Conversations
  const held = yield* Effect.forkChild(hold({ accountId, callId, takesOver: false, line }))
  yield* settled
  /** What the call shows once the carrier has reported its end. */
  const ended = Effect.gen(function*() {
    yield* report({
      accountId,
      callId,
      event: { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false }
    })
    const calls = yield* Calls.Calls
    const storage = yield* Storage.Storage
    const { transcript = [] }: Partial<Call.CallRecord> = yield* Effect.flatMap(
      storage.calls.get(accountId, callId),
      Effect.fromOption
    )
    return { status: (yield* calls.get(accountId, callId)).status, words: transcript.map(({ text }) => text) }
  })
  const says = (text: string) =>
    Effect.andThen(Queue.offer(events, { _tag: "Audio", audio: encoder.encode(text) }), settled)
  return { done, ended, held, says }
})

const testing = (voiceAgent?: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>) =>
  Effect.provide(TestEngine.layer({
    telephony: SilentCarrier.layer,
    agent: {
      script: "Hello, this is Ada.",
      questions: ["Will you come?"],
      variables: [],
      disclosure: "I am a machine."
    },
    ...(voiceAgent !== undefined && { voiceAgent })
  }))

describe("A line that exchanges sound", () => {
  it.effect("has a conversation as any other: with its disclosure, its log, and an opt-out that ends it", () =>
    Effect.gen(function*() {
      const { done, ended, held, says } = yield* answered
      assert.deepStrictEqual(done, ["I am a machine.", "Hello, this is Ada."])
      yield* says("Hello.")
      assert.deepStrictEqual(done.slice(2), ["Will you come?"])
      yield* says("Do not call me again.")
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.strictEqual(done.at(-1), "hang up")
      const { status, words } = yield* ended
      assert.strictEqual(status, "completed")
      assert.deepStrictEqual(words.slice(0, 5), [
        "I am a machine.",
        "Hello, this is Ada.",
        "Hello.",
        "Will you come?",
        "Do not call me again."
      ])
    }).pipe(testing(textAsSound)))

  it.effect("is refused where there is no voice agent", () =>
    Effect.gen(function*() {
      const { done, ended, held } = yield* answered
      assert.strictEqual(yield* Fiber.join(held), "refused")
      assert.deepStrictEqual(done, ["hang up"])
      assert.deepStrictEqual((yield* ended).words, [])
    }).pipe(testing()))

  it.effect("is hung up at once when the voice agent fails to open, and the log says so", () =>
    Effect.gen(function*() {
      const { done, held } = yield* answered
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.deepStrictEqual(done, ["hang up"])
    }).pipe(testing(failing(() => Effect.fail(new VoiceAgent.AgentFailed({ cause: "no key" }))))))

  it.effect("is hung up after 10 seconds when the voice agent does not open", () =>
    Effect.gen(function*() {
      const { done, held } = yield* answered
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(done, [])
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.deepStrictEqual(done, ["hang up"])
    }).pipe(testing(failing(() => Effect.never))))
})
