import { assert, it } from "@effect/vitest"
import { ClockUncertainty, MemoryStorage, Outdial, Readiness, Storage } from "@outdial/core"
import { DateTime, Duration, Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"

const away = new Storage.StorageError({ reason: "unavailable", cause: "gone" })

/** Over a storage with this state. */
const over = (state: Storage.StorageStats["Service"]["state"]) =>
  Readiness.Readiness.layer.pipe(
    Layer.provide(Layer.effect(
      Storage.StorageStats,
      Effect.map(Storage.Storage, ({ stats }) => ({ ...stats, state }))
    )),
    Layer.provide(MemoryStorage.layer)
  )

const reasons = Effect.flatMap(Readiness.Readiness, ({ reasons }) => reasons)

describe("readiness", () => {
  it.effect("is there when the storage is", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* reasons, [])
    }).pipe(Effect.provide(over(Effect.succeed("ready")))))

  it.live("is available to hosts without Effect", () =>
    Effect.gen(function*() {
      const engine = yield* Effect.acquireRelease(
        Effect.promise(() => Outdial.open()),
        (engine) => Effect.promise(() => engine.close())
      )
      assert.deepStrictEqual(yield* Effect.promise(() => engine.notReady()), [])
      yield* Effect.promise(() => engine.prepareToClose())
      assert.deepStrictEqual(yield* Effect.promise(() => engine.notReady()), ["draining"])
    }))

  it.effect("does not speak of a database's clock where there is none", () =>
    Effect.gen(function*() {
      const { meaningOf } = yield* Readiness.Readiness
      assert.strictEqual(meaningOf("clock_uncertain"), "the system clock was set and is not trusted yet")
    }).pipe(Effect.provide(over(Effect.succeed("ready")))))

  it.effect("names everything that is in the way", () =>
    Effect.gen(function*() {
      yield* Effect.flatMap(Readiness.Readiness, ({ drain }) => drain)
      assert.deepStrictEqual(yield* reasons, ["draining", "migrations_pending", "clock_uncertain"])
    }).pipe(
      Effect.provide(over(Effect.succeed("migrations_pending"))),
      Effect.provideService(ClockUncertainty.ClockUncertainty, Effect.succeed(Duration.millis(2001)))
    ))

  it.effect("is there with a clock that may be two seconds off", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* reasons, [])
    }).pipe(
      Effect.provide(over(Effect.succeed("ready"))),
      Effect.provideService(ClockUncertainty.ClockUncertainty, Effect.succeed(Duration.seconds(2)))
    ))

  it.effect("ends with a storage that fails, and comes back with it", () =>
    Effect.gen(function*() {
      const isAway = yield* Ref.make(true)
      const state = Effect.flatMap(
        Ref.get(isAway),
        (gone) => gone ? Effect.fail(away) : Effect.succeed("ready" as const)
      )
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* reasons, ["storage_unavailable"])
        yield* Ref.set(isAway, false)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* reasons, [])
      }).pipe(Effect.provide(over(state)))
    }))

  it.effect("is reported within two seconds for a storage that never answers, which is queried once", () =>
    Effect.gen(function*() {
      const asked = yield* Ref.make(0)
      const state = Effect.andThen(Ref.update(asked, (n) => n + 1), Effect.never)
      yield* Effect.gen(function*() {
        for (let n = 0; n < 3; n++) {
          const startedAt = yield* DateTime.now
          const answer = yield* Effect.forkChild(reasons)
          yield* TestClock.adjust("2 seconds")
          assert.deepStrictEqual(yield* Fiber.join(answer), ["storage_unavailable"])
          assert.isAtMost((yield* DateTime.now).epochMilliseconds - startedAt.epochMilliseconds, 2000)
          yield* TestClock.adjust("1 second")
        }
      }).pipe(Effect.provide(over(state)))
      assert.strictEqual(yield* Ref.get(asked), 1)
    }))

  it.effect("reads the storage at most once a second, however often it is called", () =>
    Effect.gen(function*() {
      const asked = yield* Ref.make(0)
      const state = Effect.as(Ref.update(asked, (n) => n + 1), "ready" as const)
      yield* Effect.gen(function*() {
        yield* Effect.replicateEffect(reasons, 100)
        yield* TestClock.adjust("999 millis")
        yield* reasons
        assert.strictEqual(yield* Ref.get(asked), 1)
        yield* TestClock.adjust("1 millis")
        yield* reasons
        assert.strictEqual(yield* Ref.get(asked), 2)
      }).pipe(Effect.provide(over(state)))
    }))

  it.effect("asks the storage again within a second also after the clock was set back", () =>
    Effect.gen(function*() {
      const isAway = yield* Ref.make(false)
      const state = Effect.flatMap(
        Ref.get(isAway),
        (gone) => gone ? Effect.fail(away) : Effect.succeed("ready" as const)
      )
      yield* TestClock.setTime(Date.parse("2026-03-02T12:00:00Z"))
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* reasons, [])
        yield* Ref.set(isAway, true)
        yield* TestClock.setTime(Date.parse("2026-03-02T10:00:00Z"))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* reasons, ["storage_unavailable"])
      }).pipe(Effect.provide(over(state)))
    }))
})
