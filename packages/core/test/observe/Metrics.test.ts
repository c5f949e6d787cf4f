import { assert, it } from "@effect/vitest"
import { Call, Calls, Gauges, MemoryStorage, Storage, Webhooks } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect, Layer, Metric, Schema } from "effect"
import { describe } from "vitest"

const decodeStart = Schema.decodeUnknownEffect(Call.StartCall)

const start = Effect.fnUntraced(function*(phoneNumber: string, more: object = {}) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const { start } = yield* Calls.Calls
  return yield* start(
    accountId,
    yield* decodeStart({ agentId, phoneNumber, variables: { topic: "your visit" }, ...more })
  )
})

/** Every series as `name{labels}` with its value; of histograms how often something was observed. */
const shown = Effect.map(Metric.snapshot, (series) =>
  Object.fromEntries(series.map(({ attributes, id, state }) => {
    const labels = Object.entries(attributes ?? {}).map(([name, value]) => `${name}=${value}`).sort().join(",")
    const value: unknown = "count" in state ? state.count : "value" in state ? state.value : state
    return [labels === "" ? id : `${id}{${labels}}`, value]
  })))

/** With a registry of the test's own. */
const measured = <A, E, R>(test: Effect.Effect<A, E, R>, options: TestEngine.TestEngineOptions = {}) =>
  test.pipe(Effect.provide(TestEngine.layer(options)), Effect.provideService(Metric.MetricRegistry, new Map()))

describe("metrics", () => {
  it.effect("count calls from request to delivery", () =>
    measured(Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      yield* Effect.flatMap(Webhooks.Webhooks, ({ set }) => set(accountId, { url: "https://example.com/hook" }))
      yield* start("+14155550100")
      yield* start("+14155550199", { test: true })
      const canceled = yield* start("+14155550101", { notBefore: "1970-01-03T00:00:00Z" })
      yield* Effect.flatMap(Calls.Calls, ({ cancel }) => cancel(accountId, canceled.id))
      yield* TestEngine.advance("10 minutes")
      const series = yield* shown
      assert.include(series, {
        "outdial_calls_accepted_total{request=call,test=false}": 2,
        "outdial_calls_accepted_total{request=call,test=true}": 1,
        "outdial_calls_ended_total{code=none,status=completed,test=false}": 1,
        "outdial_calls_ended_total{code=canceled_by_client,status=canceled,test=false}": 1,
        "outdial_dials_total{answer=accepted}": 1,
        "outdial_dispatch_seconds": 1,
        "outdial_submit_seconds": 1,
        "outdial_outcomes_total{result=stored}": 1,
        "outdial_deliveries_total{result=delivered}": 3,
        "outdial_delivery_seconds{result=delivered}": 3
      })
    })))

  it.effect("show what there is when they are refreshed, and how late it is", () =>
    measured(
      Effect.gen(function*() {
        const { refresh } = yield* Gauges.Gauges
        yield* start("+14155550100")
        yield* start("+14155550101")
        yield* TestEngine.drain
        yield* start("+14155550102")
        yield* refresh
        assert.include(yield* shown, {
          outdial_queued_calls: 1,
          outdial_live_calls: 2,
          outdial_lines: 2,
          "outdial_overdue_seconds{kind=dial}": 0,
          "outdial_webhook_endpoints{state=closed}": 0,
          outdial_clock_uncertainty_seconds: 0,
          outdial_storage_stats_up: 1,
          outdial_ready: 1
        })
      }),
      { lines: 2 }
    ))

  it.effect("count failures of the storage, and say that figures are old", () =>
    Effect.gen(function*() {
      const away = new Storage.StorageError({ reason: "unavailable", cause: "gone" })
      const storage = Layer.effect(
        Storage.Storage,
        Effect.map(Storage.Storage, (storage) => ({
          ...storage,
          stats: { ...storage.stats, snapshot: () => Effect.fail(away) }
        }))
      ).pipe(Layer.provide(MemoryStorage.layer))
      yield* measured(
        Effect.gen(function*() {
          yield* Effect.flatMap(Gauges.Gauges, ({ refresh }) => refresh)
          assert.include(yield* shown, {
            "outdial_storage_errors_total{method=stats.snapshot,reason=unavailable}": 1,
            outdial_storage_stats_up: 0
          })
        }),
        { storage }
      )
    }))

  it.effect("count failures of a store that is an instance of a class", () =>
    Effect.gen(function*() {
      class Endpoints {
        readonly #reason = "unavailable" as const
        get() {
          return Effect.fail(new Storage.StorageError({ reason: this.#reason, cause: "gone" }))
        }
      }
      class Webhooks extends Endpoints {}
      const storage = Layer.effect(
        Storage.Storage,
        Effect.map(Storage.Storage, (storage) => ({
          ...storage,
          webhooks: Object.assign(new Webhooks(), {
            set: storage.webhooks.set,
            rotateSecret: storage.webhooks.rotateSecret,
            delete: storage.webhooks.delete
          })
        }))
      ).pipe(Layer.provide(MemoryStorage.layer))
      yield* Effect.gen(function*() {
        const { get } = yield* Storage.WebhookStore
        yield* Effect.flip(get(Factories.accountId()))
        assert.include(yield* shown, { "outdial_storage_errors_total{method=webhooks.get,reason=unavailable}": 1 })
      }).pipe(
        Effect.provide(Storage.layerStores.pipe(Layer.provide(storage))),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
    }))

  it.effect("name no number, no account and no call", () =>
    measured(Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { id } = yield* start("+14155550100")
      yield* TestEngine.advance("10 minutes")
      yield* Effect.flatMap(Gauges.Gauges, ({ refresh }) => refresh)
      const text = Object.keys(yield* shown).join("\n")
      for (const secret of ["5550100", accountId, id]) assert.notInclude(text, secret)
    })))
})
