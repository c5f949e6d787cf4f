import { assert, it } from "@effect/vitest"
import {
  Call,
  Calls,
  ClockUncertainty,
  Engine,
  Ids,
  MemoryStorage,
  Storage,
  Webhooks,
  WebhookTransport
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Fiber, Layer, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Instant from "../support/Instant.ts"

const start = Effect.fnUntraced(function*(phoneNumber: string) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const request = { agentId, phoneNumber, variables: { topic: "your visit" } }
  const calls = yield* Calls.Calls
  return yield* calls.start(accountId, yield* Schema.decodeUnknownEffect(Call.StartCall)(request))
})

/** Of the simulator: one that talks, and one that is busy. */
const [talks, busy] = ["+14155550100", "+14155550105"] as const

const setWebhook = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  yield* webhooks.set(accountId, { url: "https://example.com/hook" })
})

/** The deliveries that the receiver got, in that order. */
const sent = Effect.gen(function*() {
  const all = yield* Ref.get(yield* WebhookTransport.Sent)
  return all.map(({ headers }) => Ids.deliveryId(Ids.EventId.make(headers["webhook-id"] ?? "")))
})

const deliveryOf = (id: Ids.CallId) => Ids.deliveryId(Ids.terminalEventId(id))

const options = { ...Instant.options, storage: MemoryStorage.layer }

const run = Effect.flatMap(Engine.Engine, (engine) => Effect.forkChild(engine.run))

describe("The delivery loop", () => {
  it.effect("waits while the clock may be wrong", () =>
    Effect.gen(function*() {
      const uncertainty = yield* Ref.make(Duration.zero)
      yield* Effect.gen(function*() {
        yield* setWebhook
        yield* run
        const { id } = yield* start(busy)
        yield* TestClock.adjust("1 second")
        yield* Ref.set(uncertainty, Duration.millis(2001))
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* sent, [])
        yield* Ref.set(uncertainty, Duration.zero)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* sent, [deliveryOf(id)])
      }).pipe(
        Effect.provide(TestEngine.layer(options)),
        Effect.provideService(ClockUncertainty.ClockUncertainty, Ref.get(uncertainty))
      )
    }))

  it.effect("sends an event once when the answer of storage to its writing is lost", () => {
    let written = 0
    const storage = Layer.effect(
      Storage.Storage,
      Effect.map(Storage.Storage, (storage) => ({
        ...storage,
        outcomes: {
          ...storage.outcomes,
          settle: (options: Storage.SettleOutcomesOptions) =>
            Effect.tap(storage.outcomes.settle(options), () =>
              written++ === 0
                ? Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "gone" }))
                : Effect.void)
        }
      }))
    ).pipe(Layer.provide(MemoryStorage.layer))
    return Effect.gen(function*() {
      yield* setWebhook
      yield* run
      const { id } = yield* start(talks)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual([yield* sent, written], [[deliveryOf(id)], 2])
    }).pipe(Effect.provide(TestEngine.layer({ ...options, storage })))
  })

  it.effect("is idle when nothing is in flight", () => {
    const slow = Layer.succeed(WebhookTransport.WebhookTransport, {
      refuses: () => Option.none(),
      send: () => Effect.delay(Effect.succeed({ statusCode: 200, retryAfter: Option.none() }), "5 seconds")
    })
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const storage = yield* Storage.Storage
      const state = (id: Ids.CallId) =>
        Effect.map(storage.deliveries.get(accountId, deliveryOf(id)), Option.map(({ state }) => state))
      yield* setWebhook
      const loops = yield* run
      const { id } = yield* start(busy)
      const isSending = Effect.map(state(id), Option.exists((state) => state === "sending"))
      yield* Effect.andThen(TestClock.adjust("100 millis"), isSending).pipe(Effect.repeat({ until: (is) => is }))
      yield* Fiber.interrupt(loops)
      const idle = yield* Effect.forkChild(Effect.flatMap(Engine.Engine, ({ idle }) => idle))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(idle.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(idle)
      assert.deepStrictEqual(yield* state(id), Option.some("delivered" as const))
    }).pipe(Effect.provide(TestEngine.layer({ ...options, transport: slow })))
  })
})
