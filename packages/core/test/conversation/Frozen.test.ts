/** A process that was frozen in a conversation that another one has continued: when it wakes up, it hangs up nothing. */
import { assert, describe, it } from "@effect/vitest"
import { type Conversation, Conversations, LineReports, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { type Cause, DateTime, Effect, Fiber, Latch, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as CallSteps from "../support/CallSteps.ts"
import * as SilentCarrier from "../support/SilentCarrier.ts"

/** A line that reports what the test says, and records what it is told. */
const makeLine = Effect.map(Queue.unbounded<Conversation.LineEvent, Cause.Done>(), (events) => {
  const told: Array<string> = []
  const given: Array<number> = []
  const closed = Latch.makeUnsafe()
  const resumed: Array<Conversation.Entry> = []
  const note = (what: string) => Effect.sync(() => void told.push(what))
  const line: Conversations.TextLine = {
    events: Stream.fromQueue(events),
    speak: ({ id, text }) => Effect.andThen(note(text), Effect.sync(() => void given.push(id))),
    stopSpeaking: Effect.void,
    press: () => Effect.void,
    resumed: (entries) => Effect.sync(() => void resumed.push(...entries)),
    hangUp: Effect.andThen(note("hang up"), closed.open),
    release: Effect.andThen(note("release"), closed.open)
  }
  return {
    line,
    resumed,
    told,
    closed: closed.await,
    hears: (text: string) => Queue.offer(events, { _tag: "Heard", text, isFinal: true }),
    played: Effect.suspend(() => Queue.offer(events, { _tag: "Played", utterance: given.at(-1) ?? 0 }))
  }
})

const step = Effect.andThen(Effect.replicateEffect(Effect.yieldNow, 50), TestClock.adjust("20 millis"))

/** Within 4 seconds, in which no lease is renewed. */
const until = (is: () => boolean) => Effect.repeat(step, { until: is, times: 200 })

const goodbye = "Thank you for your time. Goodbye."

/** Two processes on one storage; the first one's may be kept from answering. */
const frozen = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const { accountId } = yield* TestEngine.Tenant
  const answers = yield* Latch.make(true)
  const { conversations } = storage
  const first = Layer.succeed(Storage.Storage, {
    ...storage,
    conversations: { ...conversations, append: (options) => answers.whenOpen(conversations.append(options)) }
  })
  const { id: callId } = yield* CallSteps.start("+14155550100")
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
  const held = (storage: Layer.Layer<Storage.Storage>, line: Conversations.TextLine) =>
    Effect.flatMap(Conversations.Conversations, ({ hold }) => hold({ accountId, callId, takesOver: true, line })).pipe(
      Effect.provide(TestEngine.layer({ telephony: SilentCarrier.layer, storage }), { local: true }),
      Effect.forkChild
    )
  const line = yield* makeLine
  const process = yield* held(first, line.line)
  yield* until(() => line.told.length > 0)
  yield* line.played
  yield* line.hears("Goodbye.")
  yield* until(() => line.told.at(-1) === goodbye)
  assert.strictEqual(line.told.at(-1), goodbye, "it hangs up when this is heard")

  const other = yield* makeLine
  const continues = Effect.andThen(
    held(Layer.succeed(Storage.Storage, storage), other.line),
    until(() => other.resumed.length > 0)
  )
  return { ...line, answers, continues, other, process }
})

const testing = Effect.provide(TestEngine.layer({ telephony: SilentCarrier.layer }))

describe("a process that was frozen", () => {
  it.effect("lets go of a line whose conversation another process has continued, and does not hang up", () =>
    Effect.gen(function*() {
      const { continues, other, played, process, told } = yield* frozen
      yield* continues
      yield* played
      assert.strictEqual(yield* Fiber.join(process), "taken_over")
      assert.strictEqual(told.at(-1), "release")
      assert.notInclude(told, "hang up")
      assert.notInclude(other.told, "hang up")
    }).pipe(testing))

  it.effect("does the same when it was frozen while it committed the last words, and the storage does not answer", () =>
    Effect.gen(function*() {
      const { answers, closed, continues, played, process, told } = yield* frozen
      yield* answers.close
      yield* played
      yield* Effect.replicateEffect(Effect.yieldNow, 50)
      yield* continues
      yield* TestClock.adjust("20 seconds")
      // It waits for the storage in real time: two seconds for the commit, and two for who has the conversation.
      yield* closed
      assert.strictEqual(told.at(-1), "release")
      assert.notInclude(told, "hang up")
      yield* answers.open
      assert.strictEqual(yield* Fiber.join(process), "taken_over")
    }).pipe(testing))
})
