/** Sending again. */
import { assert } from "@effect/vitest"
import { Ids, type Storage } from "@outdial/core"
import { Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../DeliverySteps.ts"
import * as Fixture from "../../storage/Fixture.ts"

const redeliver = ({ accountId, storage }: Fixture.Fixture, eventId: Ids.EventId, seconds: number) =>
  storage.deliveries.redeliver({ accountId, eventId, now: Factories.at(seconds) })

const recover = ({ accountId, storage }: Fixture.Fixture, since: number, until: number, now: number, limit = 100) =>
  storage.deliveries.recover({
    accountId,
    since: Factories.at(since),
    until: Factories.at(until),
    now: Factories.at(now),
    limit
  })

const recovering = (deliveries: number): Storage.RecoverResult => ({ _tag: "Recovering", deliveries })

export const cases: Cases = {
  "sends a delivered event again, with the cause in the log": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const id = yield* Steps.event(fixture)
    const [first] = yield* Steps.succeed(fixture, 0)
    const result = yield* redeliver(fixture, id, 10)
    assert.deepStrictEqual(result._tag === "Redelivering" && result.delivery.state, "pending")
    const [again] = yield* Steps.succeed(fixture, 10)
    assert.deepStrictEqual([again?.body, again?.attempts, again?.cause], [first?.body, 0, "redeliver"])
    const { attempts, state } = yield* Steps.deliveryOf(fixture, id)
    assert.deepStrictEqual([state, ...attempts.map(({ cause }) => cause)], ["delivered", "schedule", "redeliver"])
  }),

  "sends a waiting event sooner, and continues its schedule": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const id = yield* Steps.event(fixture)
    yield* Steps.fail(fixture, 0)
    yield* redeliver(fixture, id, 10)
    const [again] = yield* Steps.fail(fixture, 10)
    assert.deepStrictEqual([again?.attempts, again?.cause], [1, "redeliver"])
    assert.deepInclude(yield* Steps.deliveryOf(fixture, id), { state: "pending", nextAttemptAt: Factories.at(70) })
    const [third] = yield* Steps.succeed(fixture, 70)
    assert.deepStrictEqual([third?.attempts, third?.cause], [2, "schedule"])
  }),

  "sends an event in flight once more, unless it is delivered": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const id = yield* Steps.event(fixture)
    const token = Factories.token()
    const claimed = yield* Steps.claim(fixture, 0, token)
    yield* redeliver(fixture, id, 1)
    assert.deepStrictEqual(yield* Steps.claim(fixture, 1), [])
    yield* Steps.settle(fixture, token, 2, { _tag: "Delivered" }, claimed)
    assert.strictEqual((yield* Steps.deliveryOf(fixture, id)).state, "delivered")
    assert.deepStrictEqual(yield* Steps.claim(fixture, 1000), [])
  }),

  "restarts the schedule of an event that could not be sent if it was requested in the meantime": Effect.gen(
    function*() {
      const results: ReadonlyArray<Storage.DeliveryResult> = [
        { _tag: "Exhausted" },
        { _tag: "RetryAt", at: Factories.at(1000) },
        { _tag: "NotSent", at: Factories.at(1000) },
        { _tag: "ProbeFailed" }
      ]
      for (const result of results) {
        const fixture = yield* Fixture.make()
        yield* Fixture.setWebhook(fixture)
        const id = yield* Steps.event(fixture)
        yield* Steps.fail(fixture, 0)
        const token = Factories.token()
        const claimed = yield* Steps.claim(fixture, 60, token)
        yield* redeliver(fixture, id, 61)
        yield* Steps.settle(fixture, token, 62, result, claimed)
        assert.deepInclude(yield* Steps.deliveryOf(fixture, id), { state: "pending", nextAttemptAt: Factories.at(62) })
        const [again] = yield* Steps.fail(fixture, 62)
        assert.deepStrictEqual([again?.attempts, again?.cause], [0, "redeliver"])
        assert.deepInclude(yield* Steps.deliveryOf(fixture, id), { state: "pending", nextAttemptAt: Factories.at(122) })
      }
    }
  ),

  "restarts the schedule of an event whose sender has gone if it was requested in the meantime": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      const id = yield* Steps.event(fixture)
      yield* Steps.fail(fixture, 0)
      yield* Steps.claim(fixture, 60)
      yield* redeliver(fixture, id, 61)
      const [again] = yield* Steps.succeed(fixture, 120)
      assert.deepStrictEqual([again?.attempts, again?.cause], [0, "redeliver"])
    }
  ),

  "drops a requested event in flight with its endpoint, and sends it when requested again": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* Fixture.setWebhook(fixture)
      const id = yield* Steps.event(fixture)
      yield* Steps.claim(fixture, 0)
      yield* redeliver(fixture, id, 1)
      yield* fixture.storage.webhooks.delete(fixture.accountId)
      assert.strictEqual((yield* Steps.deliveryOf(fixture, id)).state, "dropped")
      yield* Fixture.setWebhook(fixture)
      yield* redeliver(fixture, id, 2)
      assert.strictEqual((yield* Steps.succeed(fixture, 2)).length, 1)
      assert.strictEqual((yield* Steps.deliveryOf(fixture, id)).state, "delivered")
    }
  ),

  "sends an event again that never had an endpoint; not without an endpoint, to a disabled one, or for an unknown event":
    Effect.gen(
      function*() {
        const fixture = yield* Fixture.make()
        const id = yield* Steps.event(fixture)
        assert.deepStrictEqual(yield* redeliver(fixture, id, 1), { _tag: "NoWebhook" })
        yield* Fixture.setWebhook(fixture, { enabled: false })
        assert.deepStrictEqual(yield* redeliver(fixture, id, 1), { _tag: "Disabled" })
        yield* Fixture.setWebhook(fixture)
        const unknown = Ids.terminalEventId(Factories.callId())
        assert.deepStrictEqual(yield* redeliver(fixture, unknown, 1), { _tag: "NoEvent" })
        assert.strictEqual((yield* redeliver(fixture, id, 1))._tag, "Redelivering")
        assert.deepStrictEqual((yield* Steps.succeed(fixture, 1)).map(({ eventId }) => eventId), [id])
      }
    ),

  "recovers the undelivered events of a window, oldest first, in sets, each once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const unheard = yield* Steps.event(fixture, 1)
    yield* Fixture.setWebhook(fixture)
    const delivered = yield* Steps.event(fixture, 2)
    yield* Steps.succeed(fixture, 2)
    const exhausted = yield* Steps.event(fixture, 3)
    const token = Factories.token()
    yield* Steps.settle(fixture, token, 3, { _tag: "Exhausted" }, yield* Steps.claim(fixture, 3, token))
    const dropped = yield* Steps.event(fixture, 4)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    yield* Fixture.setWebhook(fixture)
    const deferred = yield* Steps.event(fixture, 5)
    yield* Steps.fail(fixture, 5)
    yield* Steps.event(fixture, 6)
    assert.deepStrictEqual(yield* recover(fixture, 1, 6, 10, 3), recovering(3))
    assert.deepStrictEqual(yield* recover(fixture, 1, 6, 10, 3), recovering(1))
    assert.deepStrictEqual(yield* recover(fixture, 1, 6, 10, 3), recovering(0))
    const sent = [...(yield* Steps.succeed(fixture, 10)), ...(yield* Steps.succeed(fixture, 10))]
    assert.sameMembers(
      sent.filter(({ cause }) => cause === "recover").map(({ eventId }) => eventId),
      [unheard, exhausted, dropped, deferred]
    )
    assert.strictEqual((yield* Steps.deliveryOf(fixture, delivered)).attempts.length, 1)
  }),

  "recovers no kinds without a subscription, and nothing for a disabled endpoint": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Steps.event(fixture)
    assert.deepStrictEqual(yield* recover(fixture, 0, 10, 10), { _tag: "NoWebhook" })
    yield* Fixture.setWebhook(fixture, { events: ["call.dialing"] })
    assert.deepStrictEqual(yield* recover(fixture, 0, 10, 10), recovering(0))
    yield* Fixture.setWebhook(fixture, { enabled: false })
    assert.deepStrictEqual(yield* recover(fixture, 0, 10, 10), { _tag: "Disabled" })
  })
}
