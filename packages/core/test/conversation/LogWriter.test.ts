import { assert, describe, it } from "@effect/vitest"
import type { Conversation } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ConversationStore } from "../../src/conversation/ConversationStore.ts"
import * as LogWriter from "../../src/conversation/LogWriter.ts"

const entry: Conversation.Entry = { _tag: "Over", at: 0, reason: "agent_ended" }

type Append = ConversationStore["Service"]["append"]

/** A writer with one log, the appends of it, and when it was lost: all in milliseconds. */
const writing = Effect.fnUntraced(
  function*(answer: (logs: number, untilEnd: Effect.Effect<void>) => ReturnType<Append>) {
    const end = Latch.makeUnsafe()
    const appends: Array<readonly [millis: number, entries: number]> = []
    const lost: Array<number> = []
    const store = Layer.mock(ConversationStore, {
      append: ({ logs, now }) =>
        Effect.suspend(() => {
          for (const { entries } of logs) appends.push([now.epochMilliseconds, entries.length])
          return answer(logs.length, end.await)
        })
    })
    const writer = yield* Effect.provide(LogWriter.make({ giveUp: Effect.sleep("2 seconds") }), store)
    yield* Effect.addFinalizer(() => end.open)
    const log: LogWriter.Log = {
      accountId: Factories.accountId(),
      callId: Factories.callId(),
      generation: 1,
      onLost: Effect.map(TestClock.testClockWith((clock) => clock.currentTimeMillis), (now) => void lost.push(now))
    }
    return {
      appends,
      isHeld: writer.isHeld(log),
      keepLease: Effect.forkScoped(writer.keepLease(log, 0)),
      lost,
      write: writer.write(log, entry)
    }
  }
)

const writes = writing((logs) => Effect.succeed(Array.from({ length: logs }, () => true)))
const refuses = writing((logs) => Effect.succeed(Array.from({ length: logs }, () => false)))
/** By the time of each answer, the lease that it renews has run out. */
const answersTooLate = writing((logs) =>
  Effect.delay(Effect.succeed(Array.from({ length: logs }, () => true)), "20 seconds")
)
const doesNotAnswer = writing((_, untilEnd) => Effect.as(untilEnd, []))

describe("The writer of logs", () => {
  it.effect("commits what is written within 200 ms together, so that it is on record after 250", () =>
    Effect.gen(function*() {
      const { appends, keepLease, write } = yield* writes
      yield* keepLease
      yield* TestClock.adjust("1 second")
      yield* write
      yield* TestClock.adjust("199 millis")
      yield* write
      assert.deepStrictEqual(appends, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(appends, [[1200, 2]])
    }))

  it.effect("renews a lease when nothing was committed for four seconds", () =>
    Effect.gen(function*() {
      const { appends, keepLease, lost, write } = yield* writes
      yield* keepLease
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(appends, [[4200, 0], [8400, 0]])
      yield* write
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(appends.slice(2), [[9200, 1]])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(appends.slice(3), [[13_400, 0]])
      assert.isEmpty(lost)
    }))

  it.effect("loses a log at the renewal that is refused", () =>
    Effect.gen(function*() {
      const { keepLease, lost } = yield* refuses
      yield* keepLease
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(lost, [4200])
    }))

  it.effect("loses a log before its lease runs out, when the storage does not answer", () =>
    Effect.gen(function*() {
      const { keepLease, lost } = yield* doesNotAnswer
      yield* keepLease
      yield* TestClock.adjust("9999 millis")
      assert.isEmpty(lost)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(lost, [10_000])
    }))

  it.effect("asks the storage who holds a log whose lease was not renewed, as after a suspension, and believes no silence", () =>
    Effect.gen(function*() {
      for (const [storage, expected] of [[writes, true], [refuses, false], [doesNotAnswer, false]] as const) {
        const { appends, isHeld } = yield* storage
        yield* TestClock.adjust("1 minute")
        const asked = yield* Effect.forkChild(isHeld)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* Fiber.join(asked), expected)
        assert.lengthOf(appends, 1)
      }
    }))

  it.effect("renews no lease of a log that it has given up", () =>
    Effect.gen(function*() {
      const { appends, isHeld, lost } = yield* answersTooLate
      const start = 60_000
      yield* TestClock.adjust(start)
      const asked = yield* Effect.forkChild(isHeld)
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* Fiber.join(asked))
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(appends, [[start, 0]])
      assert.deepStrictEqual(lost, [start + 2000])
    }))

  it.effect("does not ask within the lease", () =>
    Effect.gen(function*() {
      const { appends, isHeld, keepLease } = yield* writes
      yield* keepLease
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isHeld)
      assert.isEmpty(appends)
    }))
})
