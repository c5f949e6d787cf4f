/** Deliveries of events; each has one sender at a time. */
import { assert } from "@effect/vitest"
import { Ids, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"
import * as Steps from "../DeliverySteps.ts"

const settle = (
  { accountId, storage }: Fixture.Fixture,
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

const stateOf = (fixture: Fixture.Fixture, eventId: Ids.EventId) =>
  Effect.map(fixture.storage.events.get(fixture.accountId, eventId), Option.flatMap(({ delivery }) => delivery))

export const cases: Cases = {
  "delivers the subscribed events to an endpoint, with the exact bytes of the event": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { endpoint } = yield* Fixture.setWebhook(fixture)
    const call = yield* Steps.endedCall(fixture)
    const recorded = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, call.id))
    assert.isTrue(yield* Fixture.isDue(fixture, "delivery", 0))
    const [delivery] = yield* Steps.claim(fixture, 0)
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
    assert.deepStrictEqual(delivery?.secrets, [{ ...endpoint.secret, accountId: fixture.accountId }])
  }),

  "sends nothing to a disabled endpoint": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Steps.endedCall(fixture)
    yield* Fixture.setWebhook(fixture, { enabled: false })
    assert.isFalse(yield* Fixture.isDue(fixture, "delivery", 10))
    assert.deepStrictEqual(yield* Steps.claim(fixture, 10), [])
  }),

  "never has more than four deliveries of an endpoint in flight": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Effect.forEach(Array.from({ length: 9 }), () => Steps.endedCall(fixture))
    const claims = yield* Effect.all(Array.from({ length: 8 }, () => Steps.claim(fixture, 0)), {
      concurrency: "unbounded"
    })
    const claimed = claims.flat()
    assert.strictEqual(claimed.length, 4)
    assert.strictEqual(new Set(claimed.map(({ id }) => id)).size, 4)
  }),

  "makes room when a delivery is settled": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* Effect.forEach(Array.from({ length: 9 }), () => Steps.endedCall(fixture))
    const token = Factories.token()
    const first = yield* Steps.claim(fixture, 0, token)
    yield* settle(fixture, token, 1, { _tag: "Delivered" }, ...first.slice(0, 3))
    assert.strictEqual((yield* Steps.claim(fixture, 1)).length, 3)
  }),

  "counts attempts, and retries when it is asked to": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const { id } = yield* Steps.endedCall(fixture)
    const token = Factories.token()
    yield* settle(
      fixture,
      token,
      1,
      { _tag: "RetryAt", at: Factories.at(6) },
      ...(yield* Steps.claim(fixture, 0, token))
    )
    assert.deepStrictEqual(yield* Steps.claim(fixture, 5), [])
    const again = Factories.token()
    const [delivery] = yield* Steps.claim(fixture, 6, again)
    assert.strictEqual(delivery?.attempts, 1)
    yield* settle(fixture, again, 7, { _tag: "Delivered" }, ...(delivery === undefined ? [] : [delivery]))
    assert.deepStrictEqual(
      yield* stateOf(fixture, Ids.terminalEventId(id)),
      Option.some({
        state: "delivered" as const,
        attempts: 2
      })
    )
    assert.deepStrictEqual(yield* Steps.claim(fixture, 3600), [])
  }),

  "stops when it is interrupted": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const { id } = yield* Steps.endedCall(fixture)
    const token = Factories.token()
    yield* settle(fixture, token, 1, { _tag: "Exhausted" }, ...(yield* Steps.claim(fixture, 0, token)))
    assert.deepStrictEqual(
      yield* stateOf(fixture, Ids.terminalEventId(id)),
      Option.some({
        state: "exhausted" as const,
        attempts: 1
      })
    )
    assert.deepStrictEqual(yield* Steps.claim(fixture, 3600), [])
  }),

  "reclaims a delivery whose sender has gone, without counting an attempt, and accepts no result from it": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      const { id } = yield* Steps.endedCall(fixture)
      const gone = Factories.token()
      const lost = yield* Steps.claim(fixture, 0, gone)
      assert.deepStrictEqual(yield* Steps.claim(fixture, 59), [])
      for (let n = 1; n <= 10; n++) {
        assert.deepStrictEqual((yield* Steps.claim(fixture, n * 60)).map(({ attempts }) => attempts), [0])
      }
      yield* settle(fixture, gone, 601, { _tag: "Exhausted" }, ...lost)
      assert.deepStrictEqual(
        yield* stateOf(fixture, Ids.terminalEventId(id)),
        Option.some({
          state: "sending" as const,
          attempts: 0
        })
      )
    }
  )
}
