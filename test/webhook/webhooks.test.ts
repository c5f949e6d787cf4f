import { assert, it } from "@effect/vitest"
import { Engine, SecretBox, Storage, Webhooks } from "@outdial/core"
import { GatedTransport } from "@outdial/node"
import { SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Context, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Postgres from "../support/postgres.ts"
import * as WebhookAccounts from "../support/WebhookAccounts.ts"
import * as WebhookFarm from "../support/WebhookFarm.ts"

/** Deliveries over real HTTP out of a real database; only time is the test's. */
const onPostgres = <A, E, R>(test: (farm: Effect.Success<typeof WebhookFarm.make>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    // The database is made in real time.
    const storage = yield* TestClock.withLive(Layer.build(Layer.provide(SqlStorage.layer, Postgres.layer)))
    const farm = yield* WebhookFarm.make
    const engine = TestEngine.layer({
      storage: Layer.succeedContext(storage),
      transport: GatedTransport.layer({ loopback: true })
    })
    return yield* Effect.provide(test(farm), engine)
  })

const none = { lost: 0, duplicated: 0 }
const timeout = 120_000

describe("a receiver over real HTTP, with events in Postgres", () => {
  it.effect("that was down for two days gets every event once", () =>
    onPostgres((farm) =>
      Effect.gen(function*() {
        const account = yield* WebhookAccounts.make(farm.url("/a"))
        yield* farm.down
        const first = yield* account.events(60)
        yield* TestEngine.advance("24 hours")
        const second = yield* account.events(60)
        yield* TestEngine.advance("24 hours")
        assert.deepStrictEqual(yield* account.states, { pending: 120 })
        yield* farm.up
        yield* TestEngine.advance("16 minutes")
        assert.deepStrictEqual(yield* farm.count([...first, ...second]), none)
      })
    ), timeout)

  it.effect(
    "that is up and down by turns loses nothing and gets nothing twice",
    () =>
      onPostgres((farm) =>
        Effect.gen(function*() {
          const account = yield* WebhookAccounts.make(farm.url("/a"))
          const ids: Array<string> = []
          for (let turn = 0; turn < 6; turn++) {
            yield* turn % 2 === 0 ? farm.down : farm.up
            ids.push(...(yield* account.events(8)))
            yield* TestEngine.advance("20 minutes")
          }
          assert.deepStrictEqual(yield* farm.count(ids), none)
        })
      ),
    timeout
  )

  for (const status of [500, 429, 302]) {
    it.effect(
      `that answers ${status} gets everything once it does no longer`,
      () =>
        onPostgres((farm) =>
          Effect.gen(function*() {
            const account = yield* WebhookAccounts.make(farm.url("/a"))
            const headers = { "retry-after": "3600", location: farm.url("/elsewhere") }
            yield* farm.behave("/a", WebhookFarm.answer(status, headers))
            const ids = yield* account.events(12)
            yield* TestEngine.advance("1 hour")
            assert.deepStrictEqual(yield* account.states, { pending: 12 })
            yield* farm.behave("/a", WebhookFarm.answer(200))
            yield* TestEngine.advance("16 minutes")
            assert.deepStrictEqual(yield* farm.count(ids), none)
            assert.isFalse((yield* farm.requests).includes("/elsewhere"))
          })
        ),
      timeout
    )
  }

  it.effect(
    "that answers 410 gets what was held when it is set again",
    () =>
      onPostgres((farm) =>
        Effect.gen(function*() {
          const webhooks = yield* Webhooks.Webhooks
          const account = yield* WebhookAccounts.make(farm.url("/a"))
          yield* farm.behave("/a", WebhookFarm.answer(410))
          const ids = yield* account.events(10)
          yield* TestEngine.advance("1 day")
          assert.isAtMost((yield* farm.requests).length, 4)
          assert.deepStrictEqual(yield* account.states, { held: 10 })
          yield* farm.behave("/a", WebhookFarm.answer(200))
          yield* webhooks.set(account.id, { url: farm.url("/a") })
          yield* TestEngine.advance("1 minute")
          assert.deepStrictEqual(yield* farm.count(ids), none)
        })
      ),
    timeout
  )

  it.effect(
    "whose answers are cut off gets those events again, and no others",
    () =>
      onPostgres((farm) =>
        Effect.gen(function*() {
          const account = yield* WebhookAccounts.make(farm.url("/a"))
          yield* farm.behave("/a", WebhookFarm.cut)
          const ids = yield* account.events(10)
          yield* TestEngine.drain
          const cutOff = new Set((yield* farm.taken).map(({ eventId }) => eventId)).size
          yield* farm.behave("/a", WebhookFarm.answer(200))
          yield* TestEngine.advance("10 minutes")
          assert.deepStrictEqual(yield* farm.count(ids), { lost: 0, duplicated: cutOff })
          const confirmed = (yield* farm.taken).filter((taken) => taken.confirmed)
          assert.strictEqual(confirmed.length, 10)
        })
      ),
    timeout
  )

  it.effect(
    "that never answers holds four places for 15 s, and gets everything later",
    () =>
      onPostgres((farm) =>
        Effect.gen(function*() {
          const account = yield* WebhookAccounts.make(farm.url("/a"))
          yield* farm.behave("/a", WebhookFarm.silence)
          const ids = yield* account.events(10)
          const draining = yield* Effect.forkChild(TestEngine.drain)
          for (const requests of [4, 8]) {
            yield* farm.until((_, all) => all.length === requests)
            yield* TestClock.adjust("15 seconds")
          }
          yield* Fiber.join(draining)
          assert.deepStrictEqual(yield* account.states, { pending: 10 })
          yield* farm.behave("/a", WebhookFarm.answer(200))
          yield* TestEngine.advance("10 minutes")
          assert.deepStrictEqual(yield* farm.count(ids), none)
        })
      ),
    timeout
  )
})

/** Storage in which results of deliveries are not written down before the node comes back. */
const lost = (storage: Layer.Layer<Storage.Storage>, comesBack: Deferred.Deferred<void>) =>
  Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (storage) => ({
      ...storage,
      deliveries: {
        ...storage.deliveries,
        settle: (options) => Effect.andThen(Deferred.await(comesBack), storage.deliveries.settle(options))
      }
    }))
  ).pipe(Layer.provide(storage))

describe("a node that is lost between sending and writing down", () => {
  it.effect(
    "has its events sent again by another after the lease, and is not believed when it comes back",
    () =>
      Effect.gen(function*() {
        const context = yield* TestClock.withLive(
          Layer.build(Layer.merge(Layer.provide(SqlStorage.layer, Postgres.layer), SecretBox.SecretBox.layerMemory))
        )
        const storage = Layer.succeed(Storage.Storage, Context.get(context, Storage.Storage))
        const secretBox = Layer.succeed(SecretBox.SecretBox, Context.get(context, SecretBox.SecretBox))
        const farm = yield* WebhookFarm.make
        const comesBack = yield* Deferred.make<void>()
        const transport = GatedTransport.layer({ loopback: true })
        yield* Effect.gen(function*() {
          const account = yield* WebhookAccounts.make(farm.url("/a"))
          const ids = yield* account.events(10)
          const draining = yield* Effect.forkChild(TestEngine.drain)
          yield* farm.until((taken) => taken.length === 4)
          yield* Effect.gen(function*() {
            yield* TestEngine.drain
            assert.strictEqual((yield* farm.taken).length, 4)
            yield* TestEngine.advance("60 seconds")
          }).pipe(Effect.provide(TestEngine.layer({ storage, secretBox, transport }), { local: true }))
          assert.deepStrictEqual(yield* account.states, { delivered: 10 })
          assert.deepStrictEqual(yield* farm.count(ids), { lost: 0, duplicated: 4 })
          yield* Deferred.succeed(comesBack, undefined)
          yield* Fiber.join(draining)
          assert.deepStrictEqual(yield* account.states, { delivered: 10 })
        }).pipe(
          Effect.provide(TestEngine.layer({ storage: lost(storage, comesBack), secretBox, transport }))
        )
      }),
    timeout
  )
})

/** The same with the engine's loops, and in real time. */
const running = <A, E, R>(test: (farm: Effect.Success<typeof WebhookFarm.make>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const storage = yield* Layer.build(Layer.provide(SqlStorage.layer, Postgres.layer))
    const farm = yield* WebhookFarm.make
    const layer = TestEngine.layer({
      storage: Layer.succeedContext(storage),
      transport: GatedTransport.layer({ loopback: true })
    })
    return yield* Effect.provide(
      Effect.gen(function*() {
        const engine = yield* Engine.Engine
        yield* Effect.forkScoped(engine.run)
        return yield* test(farm)
      }),
      layer
    )
  })

describe("50 endpoints over real HTTP, with events in Postgres", () => {
  it.live("go on at full speed while one of them never answers", () =>
    running((farm) =>
      Effect.gen(function*() {
        yield* farm.behave("/hanging", WebhookFarm.silence)
        const hanging = yield* WebhookAccounts.make(farm.url("/hanging"))
        const others = yield* Effect.forEach(
          Array.from({ length: 49 }),
          (_, n) => WebhookAccounts.make(farm.url(`/${n}`)),
          { concurrency: 8 }
        )
        yield* hanging.events(200)
        const round = Effect.gen(function*() {
          const before = (yield* farm.taken).length
          const [took, ids] = yield* Effect.timed(
            Effect.tap(
              Effect.map(Effect.forEach(others, ({ events }) => events(10), { concurrency: 8 }), (all) => all.flat()),
              (ids) => farm.until((taken) => taken.length >= before + ids.length)
            )
          )
          return [Duration.toMillis(took), yield* farm.count(ids)] as const
        })
        const [took, counts] = yield* round
        assert.deepStrictEqual(counts, none)
        // A few seconds of work; waiting for the hanging endpoint would take 15 s or more.
        assert.isBelow(took, 14_000)
        assert.isAtMost((yield* farm.requests).filter((path) => path === "/hanging").length, 8)
        yield* farm.down
      })
    ), timeout)
})
