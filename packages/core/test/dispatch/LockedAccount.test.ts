import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { Engine, MemoryStorage, SimulatedTelephony, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { TestClock } from "effect/testing"
import { start } from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"

/** A storage whose accounts can be locked, with the instants of the attempts meanwhile. */
const setting = () => {
  const held = { isHeld: true, looks: new Array<number>() }
  const storage = Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (storage) => ({
      ...storage,
      dispatch: {
        ...storage.dispatch,
        claimDue: (options) =>
          Effect.suspend(() => {
            if (!held.isHeld) return storage.dispatch.claimDue(options)
            held.looks.push(options.now.epochMilliseconds)
            return Effect.succeed({ claimed: [], moved: 0, isLocked: true })
          })
      }
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { held, layer: TestEngine.layer({ ...Instant.options, storage }) }
}

const rings = Effect.flatMap(SimulatedTelephony.DialLog, ({ rings }) => rings)

describe("An account that another transaction has locked", () => {
  it.effect("is looked at again soon, then ever more seldom, and soon again once it was free", () =>
    Effect.suspend(() => {
      const { held, layer } = setting()
      return Effect.gen(function*() {
        const loops = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
        yield* start("+14155550100")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([...new Set(held.looks)], [0, 10, 30, 70, 150, 310, 630])
        // One attempt a second, and the poll of a loop without a wake-up.
        yield* TestClock.adjust("1 minute")
        assert.isAtMost(held.looks.length, 8 + 2 * 60)
        held.isHeld = false
        yield* TestClock.adjust("1 second")
        assert.lengthOf(yield* rings, 1)

        held.isHeld = true
        held.looks = []
        const { epochMilliseconds } = yield* DateTime.now
        yield* start("+14155550101")
        yield* TestClock.adjust("100 millis")
        assert.deepStrictEqual([...new Set(held.looks)].map((at) => at - epochMilliseconds), [0, 10, 30, 70])
        yield* Fiber.interrupt(loops)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("is tried for each call that is started meanwhile, with one later attempt", () =>
    Effect.suspend(() => {
      const { held, layer } = setting()
      return Effect.gen(function*() {
        const loops = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
        yield* start("+14155550100")
        yield* TestClock.adjust("640 millis")
        for (const last of ["1", "2", "3"]) {
          yield* start(`+1415555010${last}`)
          yield* TestClock.adjust("1 millis")
        }
        assert.deepStrictEqual([...new Set(held.looks)].slice(-4), [630, 640, 641, 642])
        held.looks = []
        yield* TestClock.adjust("957 millis")
        // The poll, and not yet the look that follows the one at 630 ms by a second.
        assert.isAtMost(held.looks.length, 1)
        yield* Fiber.interrupt(loops)
      }).pipe(Effect.provide(layer))
    }))
})
