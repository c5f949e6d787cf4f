import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makePoller } from "../../src/loop/AccountPoller.ts"

const group = 10
const large = Factories.accountId()
const small = Factories.accountId()

/** A poller over an account with 25 pieces of work and one with 3: whom it served, in order, and how often it polled. */
const setting = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const left = new Map([[large, 25], [small, 3]])
  const served: Array<string> = []
  let polls = 0
  const counting = {
    ...storage.work,
    accountsDue: () =>
      Effect.sync(() => {
        polls += 1
        return [...left].flatMap(([id, count]) => count > 0 ? [id] : [])
      })
  }
  const { runFor, runOnce } = yield* makePoller(
    counting,
    { kind: "dial", limit: 10, group },
    (id) =>
      Effect.sync(() => {
        served.push(id === large ? "large" : "small")
        const done = Math.min(group, left.get(id) ?? 0)
        left.set(id, (left.get(id) ?? 0) - done)
        return done
      })
  )
  return { runFor, runOnce, served, polls: () => polls, add: (count: number) => left.set(small, count) }
}).pipe(Effect.provide(MemoryStorage.layer))

describe("AccountPoller", () => {
  it.effect("serves each account in every poll, and returns 0 only when no account has work", () =>
    Effect.gen(function*() {
      const { runOnce, served } = yield* setting
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3, 4], () => runOnce), [13, 10, 5, 0])
      assert.deepStrictEqual(served, ["large", "small", "large", "large"])
    }))

  it.effect("polls other accounts while one is backlogged, so that none waits for its end", () =>
    Effect.gen(function*() {
      const { add, runFor, runOnce, served } = yield* setting
      yield* runOnce
      add(1)
      assert.strictEqual(yield* runFor(new Set([large])), 11)
      assert.deepStrictEqual(served.slice(2), ["large", "small"])
    }))

  it.effect("polls again after a woken account filled its group", () =>
    Effect.gen(function*() {
      const { add, polls, runFor, runOnce, served } = yield* setting
      yield* Effect.forEach([1, 2, 3, 4], () => runOnce)
      add(group + 1)
      assert.strictEqual(yield* runFor(new Set([small])), group)
      const before = polls()
      assert.strictEqual(yield* runFor(new Set([large])), 1)
      assert.strictEqual(polls(), before + 1)
      assert.deepStrictEqual(served.slice(-2), ["small", "small"])
    }))

  it.effect("serves woken accounts without a poll, and polls all accounts once a second", () =>
    Effect.gen(function*() {
      const { add, polls, runFor, runOnce, served } = yield* setting
      yield* Effect.forEach([1, 2, 3, 4], () => runOnce)
      const before = polls()
      add(2)
      assert.strictEqual(yield* runFor(new Set([small])), 2)
      assert.strictEqual(polls(), before)
      yield* TestClock.adjust("1 second")
      add(1)
      assert.strictEqual(yield* runFor(new Set([large])), 1)
      assert.strictEqual(polls(), before + 1)
      assert.deepStrictEqual(served.slice(-2), ["small", "small"])
    }))

  it.effect("polls when the woken accounts are unknown", () =>
    Effect.gen(function*() {
      const { polls, runFor, runOnce } = yield* setting
      yield* Effect.forEach([1, 2, 3, 4], () => runOnce)
      const before = polls()
      yield* runFor(undefined)
      assert.strictEqual(polls(), before + 1)
    }))

  it.effect("serves all accounts that a poll had no room for, in turn and without a pause", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const waiting = new Set(Array.from({ length: 10 }, () => Factories.accountId()))
      const counting = { ...storage.work, accountsDue: () => Effect.sync(() => [...waiting].slice(0, 4)) }
      const { runFor } = yield* makePoller(
        counting,
        { kind: "dial", limit: 4, group },
        (id) => Effect.sync(() => Number(waiting.delete(id)))
      )
      assert.strictEqual(yield* runFor(undefined), 4)
      // What a loop does after a round with work and without a wake-up.
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], () => runFor(new Set())), [4, 2, 0])
    }).pipe(Effect.provide(MemoryStorage.layer)))

  it.effect("starts the next poll after the last account of the one before", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const after: Array<string | undefined> = []
      const recording = {
        ...storage.work,
        accountsDue: (options: { readonly after?: string | undefined }) =>
          Effect.sync(() => {
            after.push(options.after)
            return [large, small]
          })
      }
      const { runOnce } = yield* makePoller(recording, { kind: "dial", limit: 2, group }, () => Effect.succeed(1))
      yield* runOnce
      yield* runOnce
      assert.deepStrictEqual(after, ["acct_0", small])
    }).pipe(Effect.provide(MemoryStorage.layer)))

  it.effect("serves the other accounts when one fails", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const both = { ...storage.work, accountsDue: () => Effect.succeed([large, small]) }
      const { runFor, runOnce } = yield* makePoller(both, { kind: "dial", limit: 10, group }, (id) =>
        id === large
          ? Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "gone" }))
          : Effect.succeed(1))
      assert.strictEqual(yield* runOnce, 1)
      assert.strictEqual(yield* runFor(new Set([large, small])), 1)
    }).pipe(Effect.provide(MemoryStorage.layer)))
})
