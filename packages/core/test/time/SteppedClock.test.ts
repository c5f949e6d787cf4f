import { assert, it } from "@effect/vitest"
import { Engine, type Ids, Readiness, SimulatedTelephony, SteadyClock, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as CallSteps from "../support/CallSteps.ts"
import * as EventSteps from "../support/EventSteps.ts"

/** The system's clock of a test: set apart from the monotonic one by `set`, while `pass` has both go on. */
class System extends Context.Service<System, {
  readonly set: (by: Duration.Input) => Effect.Effect<void>
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
}>()("test/System") {}

const layerSystem = Layer.effectContext(Effect.gen(function*() {
  const test = yield* TestClock.testClockWith(Effect.succeed)
  yield* test.setTime(Date.parse("2026-03-02T12:00:00Z"))
  let ahead = 0
  const millis = () => test.currentTimeMillisUnsafe() + ahead
  const nanos = () => BigInt(millis()) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => test.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: test.monotonicTimeNanos,
    sleep: (duration) => test.sleep(duration)
  }
  return Context.make(System, {
    set: (by) =>
      Effect.sync(() => {
        ahead += Duration.toMillis(by)
      }),
    pass: (duration) => test.adjust(duration)
  }).pipe(Context.add(Clock.Clock, clock)) as Context.Context<System>
}))

/** An engine that runs on a guarded clock. */
const world = TestEngine.layer({ lines: 2 }).pipe(
  Layer.provideMerge(SteadyClock.layer()),
  Layer.provideMerge(layerSystem)
)

const system = Effect.flatMap(System, Effect.succeed)
const run = Effect.forkScoped(Effect.flatMap(Engine.Engine, ({ run }) => run))
const rings = Effect.map(Effect.flatMap(SimulatedTelephony.DialLog, ({ rings }) => rings), ({ length }) => length)
const reasons = Effect.flatMap(Readiness.Readiness, ({ reasons }) => reasons)

const statusOf = (id: Ids.CallId) => Effect.map(CallSteps.get(id), ({ status }) => status)

const eventOf = Effect.fnUntraced(function*(id: Ids.EventId) {
  const { accountId } = yield* TestEngine.Tenant
  return yield* Effect.flatMap(Storage.Storage, ({ events }) => events.get(accountId, id))
})

/** Passes time until the call has that status, at most three minutes. Waits for work that takes real time. */
const passUntil = (id: Ids.CallId, wanted: string) =>
  Effect.flatMap(system, ({ pass }) => Effect.andThen(pass("1 second"), statusOf(id))).pipe(
    Effect.repeat({ until: (status) => status === wanted, times: 180 })
  )

describe("an engine whose system clock is set", () => {
  it.effect("dials nothing and deletes nothing while it is 40 days ahead, and continues when it is correct again", () =>
    Effect.gen(function*() {
      const { pass, set } = yield* system
      const old = yield* EventSteps.event
      yield* run
      yield* set("40 days")
      const { createdAt, id } = yield* CallSteps.start("+14155550100")
      yield* pass("35 seconds")
      assert.strictEqual(yield* rings, 0)
      assert.deepStrictEqual(yield* reasons, ["clock_uncertain"])
      assert.isTrue(Option.isSome(yield* eventOf(old)))
      yield* set("-40 days")
      assert.strictEqual(yield* passUntil(id, "completed"), "completed")
      assert.deepStrictEqual(yield* reasons, [])
      assert.strictEqual(createdAt.epochMilliseconds, Date.parse("2026-03-02T12:00:00Z"))
      assert.isTrue(Option.isSome(yield* eventOf(old)))
    }).pipe(Effect.provide(world)))

  it.effect("lets calls that go on end at their time while it is two hours back", () =>
    Effect.gen(function*() {
      const { pass, set } = yield* system
      yield* run
      const { id } = yield* CallSteps.start("+14155550100")
      assert.strictEqual(yield* passUntil(id, "in_progress"), "in_progress")
      yield* set("-2 hours")
      yield* pass("3 minutes")
      assert.strictEqual(yield* statusOf(id), "completed")
      assert.deepStrictEqual(yield* reasons, ["clock_uncertain"])
    }).pipe(Effect.provide(world)))

  it.effect("follows it when it stays ahead, dials again, and still removes nothing that became old by it", () =>
    Effect.gen(function*() {
      const { pass, set } = yield* system
      const old = yield* EventSteps.event
      yield* run
      yield* set("40 days")
      yield* pass("10 minutes")
      yield* pass("2 seconds")
      assert.deepStrictEqual(yield* reasons, [])
      const { id } = yield* CallSteps.start("+14155550100")
      assert.strictEqual(yield* passUntil(id, "completed"), "completed")
      assert.isTrue(Option.isSome(yield* eventOf(old)))
    }).pipe(Effect.provide(world)))

  it.effect("replans what it planned ahead when it follows it back: no call keeps its line or its position in the queue", () =>
    Effect.gen(function*() {
      const { pass, set } = yield* system
      yield* run
      yield* set("40 days")
      yield* pass("11 minutes")
      // Its carrier loses it, so that only a lease ends it.
      const lost = yield* CallSteps.start("+14155550139")
      yield* pass("5 seconds")
      assert.strictEqual(yield* rings, 0)
      assert.strictEqual(yield* statusOf(lost.id), "dialing")
      yield* set("-40 days")
      const waiting = yield* CallSteps.start("+14155550100")
      yield* pass("11 minutes")
      assert.deepStrictEqual(yield* reasons, [])
      assert.strictEqual(yield* passUntil(waiting.id, "completed"), "completed")
      assert.strictEqual(yield* passUntil(lost.id, "failed"), "failed")
    }).pipe(Effect.provide(world)))
})
