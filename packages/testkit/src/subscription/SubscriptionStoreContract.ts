/** Subscribers inside the host's processes. */
import { assert } from "@effect/vitest"
import { type Event, Ids, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Steps from "../webhook/DeliverySteps.ts"
import * as Fixture from "../storage/Fixture.ts"

const put = (
  { accountId, storage }: Fixture.Fixture,
  name: string,
  events: ReadonlyArray<Event.SubscribableKind> = ["call.completed", "call.not_connected"],
  seconds = 0
) => storage.subscriptions.put({ accountId, name, events, now: Factories.at(seconds) })

const claim = ({ accountId, storage }: Fixture.Fixture, name: string, seconds: number, token = Factories.token()) =>
  storage.subscriptions.claim({ accountId, name, now: Factories.at(seconds), token })

const settle = (
  { accountId, storage }: Fixture.Fixture,
  name: string,
  token: Ids.ClaimToken,
  seconds: number,
  result: Storage.DeliveryResult,
  deliveries: ReadonlyArray<Storage.SubscriberDelivery>
) =>
  storage.deliveries.settle({
    accountId,
    subscriber: name,
    token,
    now: Factories.at(seconds),
    results: deliveries.map(({ id }) => ({
      deliveryId: id,
      result,
      attempt: { at: Factories.at(seconds), cause: "schedule", durationMs: 1 }
    }))
  })

const eventIds = (deliveries: ReadonlyArray<Storage.SubscriberDelivery>) => deliveries.map(({ event }) => event.id)

export const cases: Cases = {
  "delivers an event to every name and to the endpoint, separately": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* put(fixture, "crm")
    yield* put(fixture, "Buchhaltung/ä")
    yield* put(fixture, "progress", ["call.dialing"])
    const id = yield* Steps.event(fixture)
    const recorded = Option.getOrThrow(yield* fixture.storage.events.get(fixture.accountId, id))
    const [crm] = yield* claim(fixture, "crm", 0)
    const { delivery: _, isErased: __, ...event } = recorded
    assert.deepStrictEqual([crm?.event, crm?.attempts], [event, 0])
    assert.deepStrictEqual(eventIds(yield* claim(fixture, "Buchhaltung/ä", 0)), [id])
    assert.deepStrictEqual(yield* claim(fixture, "progress", 0), [])
    assert.deepStrictEqual(yield* claim(fixture, "nobody", 0), [])
    assert.deepStrictEqual((yield* Steps.claim(fixture, 0)).map(({ eventId }) => eventId), [id])
    assert.strictEqual((yield* Steps.log(fixture)).length, 1)
  }),

  "records kinds that only a subscriber wants": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* put(fixture, "progress", ["call.dialing"])
    yield* Fixture.submitted(fixture)
    assert.deepStrictEqual((yield* claim(fixture, "progress", 0)).map(({ event }) => event.type), ["call.dialing"])
  }),

  "keeps events without a handler, and announces when they are due": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* put(fixture, "crm")
    const keys = [{ accountId, name: "crm" }, { accountId, name: "other" }]
    assert.deepStrictEqual(yield* storage.subscriptions.due(keys), [])
    yield* Steps.events(fixture, 6, 3)
    assert.deepStrictEqual(yield* storage.subscriptions.due(keys), [{ accountId, name: "crm", dueAt: Factories.at(3) }])
    const token = Factories.token()
    const first = yield* claim(fixture, "crm", 1000, token)
    assert.strictEqual(first.length, 4)
    assert.deepStrictEqual(yield* claim(fixture, "crm", 1000), [])
    yield* settle(fixture, "crm", token, 1001, { _tag: "Delivered" }, first)
    assert.strictEqual((yield* claim(fixture, "crm", 1001)).length, 2)
  }),

  "delivers an event again after a failure, and after its process has gone": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* put(fixture, "crm")
    yield* Steps.event(fixture)
    const token = Factories.token()
    const failed = yield* claim(fixture, "crm", 0, token)
    yield* settle(fixture, "crm", token, 1, { _tag: "RetryAt", at: Factories.at(9) }, failed)
    assert.deepStrictEqual(yield* claim(fixture, "crm", 8), [])
    assert.strictEqual((yield* claim(fixture, "crm", 9))[0]?.attempts, 1)
    assert.deepStrictEqual(yield* claim(fixture, "crm", 68), [])
    assert.strictEqual((yield* claim(fixture, "crm", 69))[0]?.attempts, 2)
  }),

  "is independent of an endpoint that fails": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    yield* put(fixture, "crm")
    yield* Steps.open(fixture)
    assert.strictEqual((yield* claim(fixture, "crm", 1)).length, 4)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    assert.strictEqual((yield* claim(fixture, "crm", 61)).length, 4)
  }),

  "delivers abandoned events again when the name is subscribed again": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* put(fixture, "crm")
    yield* Steps.event(fixture)
    const token = Factories.token()
    yield* settle(fixture, "crm", token, 1, { _tag: "Exhausted" }, yield* claim(fixture, "crm", 0, token))
    assert.deepStrictEqual(yield* claim(fixture, "crm", 100), [])
    yield* put(fixture, "crm", ["call.completed"], 200)
    assert.strictEqual((yield* claim(fixture, "crm", 200))[0]?.attempts, 0)
  }),

  "deletes a name and its pending events": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const key = { accountId, name: "crm" }
    yield* put(fixture, "crm")
    yield* Steps.event(fixture)
    yield* storage.subscriptions.delete(key)
    yield* storage.subscriptions.delete(key)
    yield* Steps.event(fixture)
    yield* put(fixture, "crm")
    assert.deepStrictEqual(yield* storage.subscriptions.due([key]), [])
    const id = yield* Steps.event(fixture)
    assert.deepStrictEqual(eventIds(yield* claim(fixture, "crm", 0)), [id])
  })
}
