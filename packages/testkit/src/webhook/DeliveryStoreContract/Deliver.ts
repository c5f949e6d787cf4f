/** Who gets which event; a delivery has one sender at a time. */
import { assert } from "@effect/vitest"
import { Ids, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Setting from "../../storage/Fixture.ts"

const claim = ({ accountId, storage }: Setting.Setting, seconds: number, token = Factories.token()) =>
  storage.deliveries.claim({ accountId, now: Factories.at(seconds), limit: 100, token })

const settle = (
  { accountId, storage }: Setting.Setting,
  token: Ids.ClaimToken,
  seconds: number,
  result: Storage.DeliveryResult,
  ...deliveries: ReadonlyArray<Storage.ClaimedDelivery>
) =>
  storage.deliveries.settle({
    accountId,
    token,
    now: Factories.at(seconds),
    results: deliveries.map(({ id }) => ({
      deliveryId: id,
      result,
      attempt: { at: Factories.at(seconds), cause: "schedule", statusCode: 200, durationMs: 12 }
    }))
  })

const stateOf = (setting: Setting.Setting, eventId: Ids.EventId) =>
  Effect.map(setting.storage.events.get(setting.accountId, eventId), Option.flatMap(({ delivery }) => delivery))

/** A test call: an event that is due for delivery at once. */
const event = (setting: Setting.Setting) =>
  Setting.start(setting, {
    test: true,
    status: "completed",
    endedAt: Factories.start,
    outcome: Factories.outcome,
    outcomeState: "stored"
  })

export const cases: Cases = {
  "delivers to a subscribed endpoint what was subscribed, the very bytes of the event": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { endpoint } = yield* Setting.setWebhook(setting)
    const call = yield* event(setting)
    const recorded = Option.getOrThrow(yield* Setting.terminalEvent(setting, call.id))
    assert.isTrue(yield* Setting.isDue(setting, "delivery", 0))
    const [delivery] = yield* claim(setting, 0)
    assert.deepStrictEqual({ ...delivery, secrets: null }, {
      id: Ids.deliveryId(recorded.id),
      eventId: recorded.id,
      attempts: 0,
      cause: "schedule",
      dueAt: Factories.start,
      url: endpoint.url,
      secrets: null,
      body: recorded.body
    })
    assert.deepStrictEqual(delivery?.secrets, [{ ...endpoint.secret, accountId: setting.accountId }])
  }),

  "sends nothing to a disabled endpoint": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* event(setting)
    yield* Setting.setWebhook(setting, { enabled: false })
    assert.isFalse(yield* Setting.isDue(setting, "delivery", 10))
    assert.deepStrictEqual(yield* claim(setting, 10), [])
  }),

  "never has more than four deliveries of an endpoint in flight": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Effect.forEach(Array.from({ length: 9 }), () => event(setting))
    const claims = yield* Effect.all(Array.from({ length: 8 }, () => claim(setting, 0)), { concurrency: "unbounded" })
    const claimed = claims.flat()
    assert.strictEqual(claimed.length, 4)
    assert.strictEqual(new Set(claimed.map(({ id }) => id)).size, 4)
  }),

  "makes room when a delivery is settled": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    yield* Effect.forEach(Array.from({ length: 9 }), () => event(setting))
    const token = Factories.token()
    const first = yield* claim(setting, 0, token)
    yield* settle(setting, token, 1, { _tag: "Delivered" }, ...first.slice(0, 3))
    assert.strictEqual((yield* claim(setting, 1)).length, 3)
  }),

  "counts attempts, and tries again when it is told to": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const { id } = yield* event(setting)
    const token = Factories.token()
    yield* settle(setting, token, 1, { _tag: "RetryAt", at: Factories.at(6) }, ...(yield* claim(setting, 0, token)))
    assert.deepStrictEqual(yield* claim(setting, 5), [])
    const again = Factories.token()
    const [delivery] = yield* claim(setting, 6, again)
    assert.strictEqual(delivery?.attempts, 1)
    yield* settle(setting, again, 7, { _tag: "Delivered" }, ...(delivery === undefined ? [] : [delivery]))
    assert.deepStrictEqual(
      yield* stateOf(setting, Ids.terminalEventId(id)),
      Option.some({
        state: "delivered" as const,
        attempts: 2
      })
    )
    assert.deepStrictEqual(yield* claim(setting, 3600), [])
  }),

  "gives up when it is told to": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const { id } = yield* event(setting)
    const token = Factories.token()
    yield* settle(setting, token, 1, { _tag: "Exhausted" }, ...(yield* claim(setting, 0, token)))
    assert.deepStrictEqual(
      yield* stateOf(setting, Ids.terminalEventId(id)),
      Option.some({
        state: "exhausted" as const,
        attempts: 1
      })
    )
    assert.deepStrictEqual(yield* claim(setting, 3600), [])
  }),

  "takes up a delivery whose sender is gone, without an attempt used up, and nothing from that sender": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      yield* Setting.setWebhook(setting)
      const { id } = yield* event(setting)
      const gone = Factories.token()
      const lost = yield* claim(setting, 0, gone)
      assert.deepStrictEqual(yield* claim(setting, 59), [])
      for (let n = 1; n <= 10; n++) {
        assert.deepStrictEqual((yield* claim(setting, n * 60)).map(({ attempts }) => attempts), [0])
      }
      yield* settle(setting, gone, 601, { _tag: "Exhausted" }, ...lost)
      assert.deepStrictEqual(
        yield* stateOf(setting, Ids.terminalEventId(id)),
        Option.some({
          state: "sending" as const,
          attempts: 0
        })
      )
    }
  )
}
