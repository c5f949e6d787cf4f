import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { pollWhileBacklogged } from "../../src/loop/AccountPoller.ts"

const group = 10
const large = Factories.accountId()
const small = Factories.accountId()

/** Rounds over an account with 25 pieces of work and one with 3: whom they served, in order, and how often they polled. */
const settingOf = Effect.fnUntraced(function*({ limit }: { readonly limit: number }) {
  const storage = yield* Storage.Storage
  const left = new Map([[large, 25], [small, 3]])
  const served: Array<string> = []
  let asked = 0
  const counting = {
    ...storage.work,
    accountsDue: () =>
      Effect.sync(() => {
        asked += 1
        return [...left].flatMap(([id, count]) => count > 0 ? [id] : [])
      })
  }
  const { runFor, runOnce } = yield* pollWhileBacklogged(
    counting,
    { kind: "dial", limit, group },
    (id) =>
      Effect.sync(() => {
        served.push(id === large ? "large" : "small")
        const done = Math.min(group, left.get(id) ?? 0)
        left.set(id, (left.get(id) ?? 0) - done)
        return done
      })
  )
  return { runFor, runOnce, served, asked: () => asked, add: (count: number) => left.set(small, count) }
}, Effect.provide(MemoryStorage.layer))

const setting = settingOf({ limit: 10 })

describe("Rounds", () => {
  it.effect("serve an account that fills its group again without polling, and return 0 only when no account has work", () =>
    Effect.gen(function*() {
      const { asked, runOnce, served } = yield* setting
      assert.deepStrictEqual(
        yield* Effect.forEach([1, 2, 3, 4], () => runOnce),
        [13, 10, 5, 0]
      )
      assert.deepStrictEqual(served, ["large", "small", "large", "large"])
      assert.strictEqual(asked(), 2)
    }))

  it.effect("poll other accounts while one is backlogged, so that none waits for its end", () =>
    Effect.gen(function*() {
      const { add, runOnce, served } = yield* setting
      yield* runOnce
      add(1)
      yield* TestClock.adjust("50 millis")
      yield* runOnce
      assert.deepStrictEqual(served, ["large", "small", "large", "small"])
    }))

  it.effect("ask at once when an account turns out to have no more", () =>
    Effect.gen(function*() {
      const { add, runOnce, served } = yield* setting
      yield* runOnce
      yield* runOnce
      yield* runOnce
      add(2)
      assert.strictEqual(yield* runOnce, 2)
      assert.deepStrictEqual(served.slice(-1), ["small"])
    }))

  it.effect("serve those that are woken without asking, and everybody once a second", () =>
    Effect.gen(function*() {
      const { add, asked, runFor, runOnce, served } = yield* setting
      yield* Effect.forEach([1, 2, 3, 4], () => runOnce)
      const before = asked()
      add(2)
      assert.strictEqual(yield* runFor(new Set([small])), 2)
      assert.strictEqual(asked(), before)
      yield* TestClock.adjust("1 second")
      add(1)
      assert.strictEqual(yield* runFor(new Set([large])), 1)
      assert.strictEqual(asked(), before + 1)
      assert.deepStrictEqual(served.slice(-2), ["small", "small"])
    }))

  it.effect("ask instead when those that are woken had nothing to do just before", () =>
    Effect.gen(function*() {
      const { add, asked, runFor, runOnce } = yield* setting
      yield* Effect.forEach([1, 2, 3, 4], () => runOnce)
      const before = asked()
      assert.strictEqual(yield* runFor(new Set([large])), 0)
      add(2)
      assert.strictEqual(yield* runFor(new Set([large])), 2)
      assert.strictEqual(asked(), before + 1)
    }))

  it.effect("serve those that have more to do beside those that are woken meanwhile, without asking", () =>
    Effect.gen(function*() {
      const { add, asked, runFor, runOnce, served } = yield* setting
      yield* runOnce
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(yield* runFor(new Set()), 10)
      add(1)
      assert.strictEqual(yield* runFor(new Set([small])), 6)
      assert.strictEqual(yield* runFor(new Set()), 0)
      assert.strictEqual(asked(), 1)
      assert.deepStrictEqual(served.slice(2), ["large", "large", "small"])
    }))

  it.effect("ask soon for those that the last answer had no room for", () =>
    Effect.gen(function*() {
      const { asked, runFor, runOnce } = yield* settingOf({ limit: 2 })
      yield* runOnce
      assert.strictEqual(yield* runFor(new Set()), 10)
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(yield* runFor(new Set()), 5)
      assert.strictEqual(asked(), 2)
    }))

  it.effect("poll soon after a wake-up without accounts while one is backlogged", () =>
    Effect.gen(function*() {
      const { add, runFor, runOnce, served } = yield* settingOf({ limit: 3 })
      yield* runOnce
      add(1)
      assert.strictEqual(yield* runFor(undefined), 10)
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(yield* runFor(new Set()), 6)
      assert.deepStrictEqual(served.slice(2), ["large", "large", "small"])
    }))

  it.effect("never sleep while accounts wait that the last answer had no room for", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const waiting = new Set(Array.from({ length: 10 }, () => Factories.accountId()))
      const counting = { ...storage.work, accountsDue: () => Effect.sync(() => [...waiting].slice(0, 4)) }
      const { runFor } = yield* pollWhileBacklogged(
        counting,
        { kind: "dial", limit: 4, group },
        (id) => Effect.sync(() => Number(waiting.delete(id)))
      )
      assert.strictEqual(yield* runFor(undefined), 4)
      // What a loop does after a round with work and without a wake-up.
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], () => runFor(new Set())), [4, 2, 0])
    }).pipe(Effect.provide(MemoryStorage.layer)))

  it.effect("poll when the woken accounts are unknown", () =>
    Effect.gen(function*() {
      const { asked, runFor } = yield* setting
      assert.strictEqual(yield* runFor(undefined), 13)
      assert.strictEqual(asked(), 1)
    }))
})
