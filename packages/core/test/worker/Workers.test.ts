import { assert, it } from "@effect/vitest"
import { Engine, Explanations, Gauges, Ids, Limits, Storage, Workers } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { describe } from "vitest"
import { version } from "../../src/domain/Version.ts"
import { start } from "../support/CallSteps.ts"

const live = Effect.flatMap(Workers.Workers, ({ list }) => list)

/** Everything that the storage has, whether it is alive or not. */
const stored = Effect.flatMap(Storage.Storage, (storage) => storage.workers.list(DateTime.makeUnsafe(-1)))

const running = Effect.gen(function*() {
  const fiber = yield* Effect.forkChild(Effect.flatMap(Engine.Engine, ({ run }) => run))
  yield* TestClock.adjust("1 second")
  return fiber
})

const on = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.provide(test, TestEngine.layer())

describe("the list of workers", () => {
  it.effect("has a process from when its loops run until they end", () =>
    on(Effect.gen(function*() {
      assert.deepStrictEqual(yield* live, [])
      const fiber = yield* running
      const [worker, ...others] = yield* live
      assert.deepStrictEqual(others, [])
      assert.match(worker?.id ?? "", /^wrk_\w{26}$/)
      assert.strictEqual(worker?.version, version)
      assert.includeMembers([...worker?.runs ?? []], ["dispatcher", "outcomes", "deliveries", "janitor"])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* stored, [])
    })))

  it.effect("has a process for as long as it writes its heartbeat", () =>
    on(Effect.gen(function*() {
      const fiber = yield* running
      yield* TestClock.adjust("10 minutes")
      const [worker] = yield* live
      const now = yield* DateTime.now
      assert.isDefined(worker)
      assert.isAtMost(
        Duration.toMillis(DateTime.distance(worker.seenAt, now)),
        Duration.toMillis(Limits.workerHeartbeat)
      )
      assert.strictEqual(worker.startedAt.epochMilliseconds, 0)
      yield* Fiber.interrupt(fiber)
    })))

  it.effect("drops a process that is silent for longer than the bound, and forgets it after an hour", () =>
    on(Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const now = yield* DateTime.now
      // As a process leaves it that was killed, or cannot reach the storage.
      const silent = { id: Ids.WorkerId.make("wrk_1"), version, runs: ["dispatcher"], startedAt: now, seenAt: now }
      yield* storage.workers.put(silent)
      yield* TestClock.adjust(Duration.subtract(Limits.workerGone, Duration.millis(1)))
      assert.deepStrictEqual(yield* live, [silent])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* live, [])
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* stored, [silent])
      yield* TestClock.adjust(Limits.workerRetention)
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* stored, [])
    })))

  it.effect("shows in the explanation of a waiting call that no process dials", () =>
    on(Effect.gen(function*() {
      const { id } = yield* start("+14155550100")
      const { accountId } = yield* TestEngine.Tenant
      const rules = yield* Explanations.Explanations
      assert.deepInclude(yield* rules.explain(accountId, id), { decision: "dial", workerAlive: false })
      const storage = yield* Storage.Storage
      const now = yield* DateTime.now
      const deliverer = { id: Ids.WorkerId.make("wrk_1"), version, runs: ["deliveries"], startedAt: now, seenAt: now }
      yield* storage.workers.put(deliverer)
      assert.isFalse((yield* rules.explain(accountId, id)).workerAlive)
      yield* storage.workers.put({ ...deliverer, runs: ["dispatcher"] })
      assert.isTrue((yield* rules.explain(accountId, id)).workerAlive)
      yield* TestEngine.advance("10 minutes")
      assert.notProperty(yield* rules.explain(accountId, id), "workerAlive")
    })))

  it.effect("is shown as a metric", () =>
    on(
      Effect.gen(function*() {
        const storage = yield* Storage.Storage
        const now = yield* DateTime.now
        for (const id of ["wrk_1", "wrk_2"]) {
          yield* storage.workers.put({ id: Ids.WorkerId.make(id), version, runs: [], startedAt: now, seenAt: now })
        }
        yield* Effect.flatMap(Gauges.Gauges, ({ refresh }) => refresh)
        const series = yield* Metric.snapshot
        assert.deepInclude(series.find(({ id }) => id === "outdial_live_workers")?.state, { value: 2 })
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    ))

  it.effect("knows the version that the package states", () =>
    Effect.sync(() => {
      const path = new URL("../../package.json", import.meta.url)
      assert.strictEqual(version, JSON.parse(readFileSync(path, "utf8")).version)
    }))
})
