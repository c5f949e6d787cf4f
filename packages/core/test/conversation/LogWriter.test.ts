import { assert, describe, it } from "@effect/vitest"
import type { Conversation } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ConversationStore } from "../../src/conversation/ConversationStore.ts"
import * as LogWriter from "../../src/conversation/LogWriter.ts"

const entry: Conversation.Entry = { _tag: "Over", at: 0, reason: "agent_ended" }

/** A writer with one log, and the appends of it: when each came, in milliseconds, and how many entries it had. */
const writing = Effect.gen(function*() {
  const appends: Array<readonly [millis: number, entries: number]> = []
  const store = Layer.mock(ConversationStore, {
    append: ({ logs, now }) =>
      Effect.sync(() => {
        for (const { entries } of logs) appends.push([now.epochMilliseconds, entries.length])
        return logs.map(() => true)
      })
  })
  const writer = yield* Effect.provide(LogWriter.make, store)
  const log: LogWriter.Log = {
    accountId: Factories.accountId(),
    callId: Factories.callId(),
    generation: 1,
    onLost: Effect.die("The log is lost")
  }
  yield* Effect.forkScoped(writer.keepLease(log))
  return { appends, write: writer.write(log, entry) }
})

describe("The writer of logs", () => {
  it.effect("commits what is written within 250 ms together", () =>
    Effect.gen(function*() {
      const { appends, write } = yield* writing
      yield* TestClock.adjust("1 second")
      yield* write
      yield* TestClock.adjust("249 millis")
      yield* write
      assert.deepStrictEqual(appends, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(appends, [[1250, 2]])
    }))

  it.effect("renews a lease when nothing was committed for four seconds", () =>
    Effect.gen(function*() {
      const { appends, write } = yield* writing
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(appends, [[4250, 0], [8500, 0]])
      yield* write
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(appends.slice(2), [[9250, 1]])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(appends.slice(3), [[13_500, 0]])
    }))
})
