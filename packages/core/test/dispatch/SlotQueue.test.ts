import { assert, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as SlotQueue from "../../src/dispatch/SlotQueue.ts"

it.effect("takes no more slots of a carrier that the account had no calls for, until it may have new calls", () =>
  Effect.gen(function*() {
    const { carriers } = yield* Storage.Storage
    const [quick, slow] = [Factories.carrierName(), Factories.carrierName()]
    const accountId = Factories.accountId()
    const asked: Array<string> = []
    const dialedAt: Array<number> = []
    const queue: SlotQueue.SlotQueue = yield* SlotQueue.make({
      carrierStore: {
        ...carriers,
        takeSlots: (options) => {
          asked.push(options.carrier)
          return carriers.takeSlots(options)
        }
      },
      carriers: [{ name: quick, callsPerSecond: 2 }, { name: slow, callsPerSecond: 1 }],
      claim: (_, slots) =>
        Effect.gen(function*() {
          const done = slots.get(quick) ?? 0
          for (let n = 0; n < done; n++) dialedAt.push(yield* Clock.currentTimeMillis)
          return { done, used: new Map([[quick, done]]) }
        }),
      wake: Effect.suspend(() => Effect.orDie(Effect.asVoid(queue.resume)))
    })
    yield* queue.serve(accountId)
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(dialedAt, [0, 500, 1000, 1500, 2000])
    assert.deepStrictEqual(asked.filter((name) => name === slow), [slow])
    yield* queue.serve(accountId)
    assert.strictEqual(asked.filter((name) => name === slow).length, 2)
  }).pipe(Effect.provide(MemoryStorage.layer)))
