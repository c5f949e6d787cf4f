/** Lists of events and deliveries. */
import { assert } from "@effect/vitest"
import { Ids, Page, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"
import * as Steps from "../DeliverySteps.ts"

const firstPage: Page.PageRequest = { limit: 10, after: Option.none() }

export const cases: Cases = {
  "lists every attempt of a delivery, and the time of the next one": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const call = yield* Steps.endedCall(fixture)
    const { accountId, storage } = fixture
    const claim = (seconds: number, token: Ids.ClaimToken) =>
      storage.deliveries.claim({ accountId, now: Factories.at(seconds), limit: 10, token })
    const [first, second] = [Factories.token(), Factories.token()]
    const failed = { cause: "schedule" as const, errorCode: "timeout", durationMs: 15_000 }
    yield* Steps.settleWith(fixture, first, 1, { _tag: "RetryAt", at: Factories.at(9) }, yield* claim(0, first), failed)
    const eventId = Ids.terminalEventId(call.id)
    const id = Ids.deliveryId(eventId)
    const pending = {
      id,
      eventId,
      callId: call.id,
      type: "call.completed" as const,
      createdAt: Factories.start
    }
    assert.deepStrictEqual(
      yield* storage.deliveries.get(accountId, id),
      Option.some({
        ...pending,
        state: "pending" as const,
        nextAttemptAt: Factories.at(9),
        attempts: [{ at: Factories.at(1), ...failed }]
      })
    )
    yield* Steps.settleWith(fixture, second, 9, { _tag: "Delivered" }, yield* claim(9, second))
    const { items } = yield* storage.deliveries.list({ accountId, filter: {}, page: firstPage })
    assert.deepStrictEqual(items, [{
      ...pending,
      state: "delivered",
      attempts: [
        { at: Factories.at(1), ...failed },
        { at: Factories.at(9), cause: "schedule", statusCode: 204, durationMs: 7 }
      ]
    }])
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* storage.deliveries.get(other.accountId, id), Option.none())
  }),

  "stores no record of an attempt without news, and continues the delivery": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      const call = yield* Steps.endedCall(fixture)
      const { accountId, storage } = fixture
      const claim = (seconds: number, token: Ids.ClaimToken) =>
        storage.deliveries.claim({ accountId, now: Factories.at(seconds), limit: 10, token })
      const [first, second] = [Factories.token(), Factories.token()]
      const [claimed] = yield* claim(0, first)
      const deliveryId = Ids.deliveryId(Ids.terminalEventId(call.id))
      assert.strictEqual(claimed?.id, deliveryId)
      const result = { _tag: "NotSent", at: Factories.at(60) } as const
      const now = Factories.at(1)
      yield* storage.deliveries.settle({ accountId, token: first, now, results: [{ deliveryId, result }] })
      const logged = Effect.map(
        storage.deliveries.get(accountId, deliveryId),
        (found) => Option.getOrThrow(found).attempts
      )
      assert.deepStrictEqual(yield* logged, [])
      yield* Steps.settleWith(fixture, second, 61, { _tag: "Delivered" }, yield* claim(60, second))
      assert.deepStrictEqual((yield* logged).map(({ statusCode }) => statusCode), [204])
    }
  ),

  "lists events and deliveries newest first, page by page, filtered": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const { accountId, storage } = fixture
    const calls = yield* Effect.forEach([0, 5, 5, 9], (seconds) => Steps.endedCall(fixture, seconds))
    const expected = calls.toSorted(Page.compare).map(({ id }) => id)
    const events = yield* storage.events.list({ accountId, filter: {}, page: { limit: 3, after: Option.none() } })
    assert.isTrue(events.hasMore)
    const rest = yield* storage.events.list({
      accountId,
      filter: {},
      page: { limit: 3, after: Option.fromUndefinedOr(events.items.at(-1)) }
    })
    assert.deepStrictEqual([...events.items, ...rest.items].map(({ callId }) => callId), expected)
    const [newest] = calls.toSorted(Page.compare)
    const callId = newest?.id ?? Factories.callId()
    const filtered = (filter: Storage.EventFilter) =>
      Effect.map(storage.events.list({ accountId, filter, page: firstPage }), ({ items }) => items.length)
    assert.strictEqual(yield* filtered({ callId }), 1)
    assert.strictEqual(yield* filtered({ type: "call.not_connected" }), 0)
    assert.strictEqual(yield* filtered({ createdAfter: Factories.start, createdBefore: Factories.at(9) }), 2)
    const deliveries = (filter: Storage.DeliveryFilter) =>
      Effect.map(
        storage.deliveries.list({ accountId, filter, page: firstPage }),
        ({ items }) => items.map((_) => _.callId)
      )
    assert.deepStrictEqual(yield* deliveries({}), expected)
    assert.deepStrictEqual(yield* deliveries({ callId }), [callId])
    assert.deepStrictEqual(yield* deliveries({ eventId: Ids.terminalEventId(callId) }), [callId])
    assert.deepStrictEqual(yield* deliveries({ states: ["delivered"] }), [])
    assert.deepStrictEqual(yield* deliveries({ states: ["delivered", "held", "pending", "pending"] }), expected)
    assert.deepStrictEqual(yield* deliveries({ states: ["delivered", "held"], callId }), [])
    assert.deepStrictEqual(yield* deliveries({ states: ["dropped", "pending"], callId }), [callId])
    assert.deepStrictEqual(yield* deliveries({ states: ["pending"], createdAfter: Factories.at(5) }), [callId])
  })
}
