/** What becomes of conversations when their process ends. */
import { assert, describe, it } from "@effect/vitest"
import { Calls, type Conversation, ConversationRunner, Conversations, Ids, LineReports, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { type Cause, DateTime, Effect, Fiber, Latch, Layer, Option, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as CallSteps from "../support/CallSteps.ts"
import * as SilentCarrier from "../support/SilentCarrier.ts"

/** A line that plays at once what it is given, and records it. */
const makeLine = (move?: Effect.Effect<boolean>) =>
  Effect.map(Queue.unbounded<Conversation.LineEvent, Cause.Done>(), (events) => {
    const said: Array<string> = []
    const log = (what: string) => Effect.sync(() => void said.push(what))
    const line: Conversations.TextLine = {
      events: Stream.fromQueue(events),
      speak: ({ id, text }) => Effect.andThen(log(text), Queue.offer(events, { _tag: "Played", utterance: id })),
      stopSpeaking: Effect.void,
      press: () => Effect.void,
      hangUp: Effect.andThen(log("hang up"), Queue.end(events)),
      release: Effect.andThen(log("release"), Queue.end(events)),
      ...(move !== undefined && { move: Effect.andThen(log("move"), move) })
    }
    return { hears: (text: string) => Queue.offer(events, { _tag: "Heard", text, isFinal: true }), line, said }
  })

/** An answered call whose conversation goes on. */
const talking = Effect.fnUntraced(function*(phoneNumber: string, move?: Effect.Effect<boolean>) {
  const { accountId } = yield* TestEngine.Tenant
  const { id: callId } = yield* CallSteps.start(phoneNumber)
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
  const { hears, line, said } = yield* makeLine(move)
  const { hold } = yield* Conversations.Conversations
  const held = yield* Effect.forkChild(hold({ accountId, callId, takesOver: true, line }))
  yield* settled
  return { callId, hears, held, said }
})

/** Lets everything happen that needs no time, and commits the logs. */
const settled = Effect.andThen(Effect.replicateEffect(Effect.yieldNow, 50), TestClock.adjust("300 millis"))

const sorry = "I am sorry, I have a technical problem. We will get back to you. Goodbye."

const logOf = Effect.fnUntraced(function*(callId: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const { conversations } = yield* Storage.Storage
  const { entries } = yield* conversations.read({ accountId, callId, after: 0, limit: 100 })
  return entries.map(({ entry }) => entry._tag === "Turn" ? `${entry.speaker}: ${entry.text}` : entry._tag)
})

const testing = Effect.provide(TestEngine.layer({ telephony: SilentCarrier.layer }))

describe("ending a process", () => {
  it.effect("takes no conversation of a line that can move, and says no word to its contact", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { conversations } = yield* Storage.Storage
      const { stop } = yield* ConversationRunner.ActiveConversations
      yield* stop
      const { callId, held, said } = yield* talking("+14155550100", Effect.succeed(true))
      assert.strictEqual(yield* Fiber.join(held), "taken_over")
      assert.deepStrictEqual(said, ["move", "release"])
      // Nothing of it is here: another process need not take it over.
      const acquired = yield* conversations.acquire({ accountId, callId, now: yield* DateTime.now, takesOver: false })
      assert.strictEqual(Option.getOrThrow(acquired).generation, 1)

      const refusals = {
        "+14155550101": Effect.succeed(false),
        "+14155550102": Effect.die("socket"),
        "+14155550103": Effect.never
      }
      for (const [number, refuses] of Object.entries(refusals)) {
        const stays = yield* talking(number, refuses)
        yield* TestClock.adjust("5 seconds")
        yield* settled
        assert.strictEqual(yield* Fiber.join(stays.held), "over")
        assert.deepStrictEqual(stays.said.slice(-2), [sorry, "hang up"])
      }
    }).pipe(testing))

  it.effect("ends conversations politely, also those that begin meanwhile, and waits for them", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const { stop } = yield* ConversationRunner.ActiveConversations
      const one = yield* talking("+14155550100")
      yield* one.hears("Yes, I can talk.")
      yield* settled
      yield* stop
      const late = yield* talking("+14155550101")
      for (const { held, said } of [one, late]) {
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual(said.slice(-2), [sorry, "hang up"])
      }
      const transcript = (yield* calls.get(accountId, one.callId)).outcome?.transcript
      assert.isUndefined(transcript, "the carrier has not reported the end")
    }).pipe(testing))

  it.effect("waits for a conversation that is about to begin", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const isAway = yield* Latch.make()
      const { conversations } = storage
      const slow = Layer.succeed(Storage.Storage, {
        ...storage,
        conversations: { ...conversations, acquire: (options) => isAway.whenOpen(conversations.acquire(options)) }
      })
      yield* Effect.gen(function*() {
        const { stop } = yield* ConversationRunner.ActiveConversations
        const { held, said } = yield* talking("+14155550100")
        const stopping = yield* Effect.forkChild(stop)
        yield* settled
        assert.isUndefined(stopping.pollUnsafe(), "it waits")
        yield* isAway.open
        yield* Fiber.join(stopping)
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual(said.slice(-2), [sorry, "hang up"])
      }).pipe(Effect.provide(TestEngine.layer({ telephony: SilentCarrier.layer, storage: slow }), { local: true }))
    }).pipe(testing))

  it.effect("moves the lines that can move, with their words on record, and ends those that then cannot", () =>
    Effect.gen(function*() {
      const { stop } = yield* ConversationRunner.ActiveConversations
      const moves = yield* talking("+14155550100", Effect.succeed(true))
      const stays = yield* talking("+14155550101", Effect.succeed(false))
      yield* moves.hears("Yes, I can talk.")
      yield* Effect.replicateEffect(Effect.yieldNow, 50)
      yield* stop
      assert.strictEqual(yield* Fiber.join(moves.held), "taken_over")
      assert.strictEqual(yield* Fiber.join(stays.held), "over")
      assert.deepStrictEqual(moves.said.slice(-2), ["move", "release"])
      assert.deepStrictEqual(stays.said.slice(-3), ["move", sorry, "hang up"])
      const log = yield* logOf(moves.callId)
      assert.include(log, "contact: Yes, I can talk.")
      assert.notInclude(log, "Over")

      // Another process gets the line.
      const { accountId } = yield* TestEngine.Tenant
      const { hears, line, said } = yield* makeLine()
      yield* Effect.gen(function*() {
        const { hold } = yield* Conversations.Conversations
        const held = yield* Effect.forkChild(hold({ accountId, callId: moves.callId, takesOver: true, line }))
        yield* settled
        assert.isEmpty(said, "the contact has heard the question")
        yield* hears("Yes, on Tuesday.")
        yield* settled
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual(said, ["Thank you for your time. Goodbye.", "hang up"])
      }).pipe(Effect.provide(
        TestEngine.layer({
          telephony: SilentCarrier.layer,
          storage: Layer.succeed(Storage.Storage, yield* Storage.Storage)
        }),
        { local: true }
      ))
    }).pipe(testing))

  it.effect("loses no word that was said before it is interrupted", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const storage = yield* Storage.Storage
      const other = TestEngine.layer({
        telephony: SilentCarrier.layer,
        storage: Layer.succeed(Storage.Storage, storage)
      })
      const { id: callId } = yield* CallSteps.start("+14155550100")
      yield* TestEngine.drain
      const { report } = yield* LineReports.LineReports
      yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
      yield* Effect.gen(function*() {
        const { hears, line } = yield* makeLine()
        const { hold } = yield* Conversations.Conversations
        yield* Effect.forkChild(hold({ accountId, callId, takesOver: true, line }))
        yield* settled
        yield* hears("One more thing.")
        yield* Effect.replicateEffect(Effect.yieldNow, 50)
      }).pipe(Effect.provide(other, { local: true }))
      assert.include(yield* logOf(callId), "contact: One more thing.")
    }).pipe(testing))

  it.effect("has everything on record before it hangs up, because the carrier may report the end at once", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { id: callId } = yield* CallSteps.start("+14155550100")
      yield* TestEngine.drain
      const { report } = yield* LineReports.LineReports
      const at = yield* DateTime.now
      yield* report({ accountId, callId, event: { _tag: "Answered", at, by: "human" } })
      const events: Array<Conversation.LineEvent> = [
        { _tag: "Heard", text: "You have reached Grace.", isFinal: true },
        { _tag: "Machine", kind: "voicemail" }
      ]
      const { line } = yield* makeLine()
      const context = yield* Effect.context<Storage.Storage | TestEngine.Tenant>()
      let before: ReadonlyArray<string> = []
      const hangUp = Effect.provideContext(Effect.map(logOf(callId), (log) => void (before = log)), context)
      const { hold } = yield* Conversations.Conversations
      const held = yield* Effect.forkChild(hold({
        accountId,
        callId,
        takesOver: false,
        line: {
          ...line,
          events: Stream.concat(Stream.fromIterable(events), Stream.never),
          hangUp: Effect.orDie(hangUp)
        }
      }))
      yield* TestEngine.advance("5 seconds")
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.deepStrictEqual(before, ["contact: You have reached Grace.", "Machine", "Over"])
    }).pipe(testing))

  it.effect("records a machine at its detection, so that its greeting completes no call", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const { id: callId } = yield* CallSteps.start("+14155550100")
      yield* TestEngine.drain
      const { report } = yield* LineReports.LineReports
      yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
      const events: Array<Conversation.LineEvent> = [
        { _tag: "Heard", text: "You have reached Grace. Please leave a message.", isFinal: true },
        { _tag: "Machine", kind: "voicemail" }
      ]
      const { line } = yield* makeLine()
      const { hold } = yield* Conversations.Conversations
      // The line is cut right after the verdict, before any message was heard.
      yield* hold({ accountId, callId, takesOver: false, line: { ...line, events: Stream.fromIterable(events) } })
      yield* report({
        accountId,
        callId,
        event: { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false }
      })
      yield* TestEngine.drain
      const { answeredBy, status, statusCode } = yield* calls.get(accountId, callId)
      assert.deepStrictEqual({ answeredBy, status, statusCode }, {
        answeredBy: "voicemail",
        status: "no_answer",
        statusCode: "voicemail"
      })
    }).pipe(testing))
})
