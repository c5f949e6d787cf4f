import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as FastClock from "../../src/demo/FastClock.ts"

const start = DateTime.makeUnsafe("2026-09-15T12:00:00Z")

describe("FastClock", () => {
  it.effect("begins at the given instant, and runs and sleeps faster", () =>
    Effect.gen(function*() {
      const fast = Effect.provide(FastClock.layer({ start, speed: 60 }))
      const fiber = yield* Effect.forkChild(fast(Effect.gen(function*() {
        const before = yield* Clock.currentTimeMillis
        yield* Effect.sleep("1 hour")
        return [before, yield* Clock.currentTimeMillis]
      })))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [
        start.epochMilliseconds,
        start.epochMilliseconds + 3_600_000
      ])
    }))
})
