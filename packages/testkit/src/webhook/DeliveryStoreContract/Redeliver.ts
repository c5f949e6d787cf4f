/** Sending again. */
import { assert } from "@effect/vitest"
import { Ids, type Storage } from "@outdial/core"
import { Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../DeliverySteps.ts"
import * as Setting from "../../storage/Fixture.ts"

const redeliver = ({ accountId, storage }: Setting.Setting, eventId: Ids.EventId, seconds: number) =>
  storage.deliveries.redeliver({ accountId, eventId, now: Factories.at(seconds) })

const recover = ({ accountId, storage }: Setting.Setting, since: number, until: number, now: number, limit = 100) =>
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
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const id = yield* Steps.event(setting)
    const [first] = yield* Steps.succeed(setting, 0)
    const result = yield* redeliver(setting, id, 10)
    assert.deepStrictEqual(result._tag === "Redelivering" && result.delivery.state, "pending")
    const [again] = yield* Steps.succeed(setting, 10)
    assert.deepStrictEqual([again?.body, again?.attempts, again?.cause], [first?.body, 0, "redeliver"])
    const { attempts, state } = yield* Steps.deliveryOf(setting, id)
    assert.deepStrictEqual([state, ...attempts.map(({ cause }) => cause)], ["delivered", "schedule", "redeliver"])
  }),

  "sends an event sooner that waits, and goes on with its schedule": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const id = yield* Steps.event(setting)
    yield* Steps.fail(setting, 0)
    yield* redeliver(setting, id, 10)
    const [again] = yield* Steps.fail(setting, 10)
    assert.deepStrictEqual([again?.attempts, again?.cause], [1, "redeliver"])
    assert.deepInclude(yield* Steps.deliveryOf(setting, id), { state: "pending", nextAttemptAt: Factories.at(70) })
    const [third] = yield* Steps.succeed(setting, 70)
    assert.deepStrictEqual([third?.attempts, third?.cause], [2, "schedule"])
  }),

  "sends an event once more that is being sent, unless it arrives": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const id = yield* Steps.event(setting)
    const token = Factories.token()
    const claimed = yield* Steps.claim(setting, 0, token)
    yield* redeliver(setting, id, 1)
    assert.deepStrictEqual(yield* Steps.claim(setting, 1), [])
    yield* Steps.settle(setting, token, 2, { _tag: "Delivered" }, claimed)
    assert.strictEqual((yield* Steps.deliveryOf(setting, id)).state, "delivered")
    assert.deepStrictEqual(yield* Steps.claim(setting, 1000), [])
  }),

  "begins anew with an event that could not be sent when its owner asks for it meanwhile": Effect.gen(function*() {
    const results: ReadonlyArray<Storage.DeliveryResult> = [
      { _tag: "Exhausted" },
      { _tag: "RetryAt", at: Factories.at(1000) },
      { _tag: "NotSent", at: Factories.at(1000) },
      { _tag: "ProbeFailed" }
    ]
    for (const result of results) {
      const setting = yield* Setting.make()
      yield* Setting.setWebhook(setting)
      const id = yield* Steps.event(setting)
      yield* Steps.fail(setting, 0)
      const token = Factories.token()
      const claimed = yield* Steps.claim(setting, 60, token)
      yield* redeliver(setting, id, 61)
      yield* Steps.settle(setting, token, 62, result, claimed)
      assert.deepInclude(yield* Steps.deliveryOf(setting, id), { state: "pending", nextAttemptAt: Factories.at(62) })
      const [again] = yield* Steps.fail(setting, 62)
      assert.deepStrictEqual([again?.attempts, again?.cause], [0, "redeliver"])
      assert.deepInclude(yield* Steps.deliveryOf(setting, id), { state: "pending", nextAttemptAt: Factories.at(122) })
    }
  }),

  "begins anew with an event whose sender is gone when its owner asks for it meanwhile": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting)
    const id = yield* Steps.event(setting)
    yield* Steps.fail(setting, 0)
    yield* Steps.claim(setting, 60)
    yield* redeliver(setting, id, 61)
    const [again] = yield* Steps.succeed(setting, 120)
    assert.deepStrictEqual([again?.attempts, again?.cause], [0, "redeliver"])
  }),

  "drops an event that is asked for while it is sent with its endpoint, and sends it when asked again": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      yield* Setting.setWebhook(setting)
      const id = yield* Steps.event(setting)
      yield* Steps.claim(setting, 0)
      yield* redeliver(setting, id, 1)
      yield* setting.storage.webhooks.delete(setting.accountId)
      assert.strictEqual((yield* Steps.deliveryOf(setting, id)).state, "dropped")
      yield* Setting.setWebhook(setting)
      yield* redeliver(setting, id, 2)
      assert.strictEqual((yield* Steps.succeed(setting, 2)).length, 1)
      assert.strictEqual((yield* Steps.deliveryOf(setting, id)).state, "delivered")
    }
  ),

  "sends again an event that never had an endpoint, and none that is not there, disabled or unknown": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      const id = yield* Steps.event(setting)
      assert.deepStrictEqual(yield* redeliver(setting, id, 1), { _tag: "NoWebhook" })
      yield* Setting.setWebhook(setting, { enabled: false })
      assert.deepStrictEqual(yield* redeliver(setting, id, 1), { _tag: "Disabled" })
      yield* Setting.setWebhook(setting)
      const unknown = Ids.terminalEventId(Factories.callId())
      assert.deepStrictEqual(yield* redeliver(setting, unknown, 1), { _tag: "NoEvent" })
      assert.strictEqual((yield* redeliver(setting, id, 1))._tag, "Redelivering")
      assert.deepStrictEqual((yield* Steps.succeed(setting, 1)).map(({ eventId }) => eventId), [id])
    }
  ),

  "recovers what of a window was not delivered, oldest first, in sets, and each once": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const unheard = yield* Steps.event(setting, 1)
    yield* Setting.setWebhook(setting)
    const delivered = yield* Steps.event(setting, 2)
    yield* Steps.succeed(setting, 2)
    const exhausted = yield* Steps.event(setting, 3)
    const token = Factories.token()
    yield* Steps.settle(setting, token, 3, { _tag: "Exhausted" }, yield* Steps.claim(setting, 3, token))
    const dropped = yield* Steps.event(setting, 4)
    yield* setting.storage.webhooks.delete(setting.accountId)
    yield* Setting.setWebhook(setting)
    const putOff = yield* Steps.event(setting, 5)
    yield* Steps.fail(setting, 5)
    yield* Steps.event(setting, 6)
    assert.deepStrictEqual(yield* recover(setting, 1, 6, 10, 3), recovering(3))
    assert.deepStrictEqual(yield* recover(setting, 1, 6, 10, 3), recovering(1))
    assert.deepStrictEqual(yield* recover(setting, 1, 6, 10, 3), recovering(0))
    const sent = [...(yield* Steps.succeed(setting, 10)), ...(yield* Steps.succeed(setting, 10))]
    assert.sameMembers(
      sent.filter(({ cause }) => cause === "recover").map(({ eventId }) => eventId),
      [unheard, exhausted, dropped, putOff]
    )
    assert.strictEqual((yield* Steps.deliveryOf(setting, delivered)).attempts.length, 1)
  }),

  "recovers nothing of kinds that the endpoint does not want, and nothing for one that is off": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Steps.event(setting)
    assert.deepStrictEqual(yield* recover(setting, 0, 10, 10), { _tag: "NoWebhook" })
    yield* Setting.setWebhook(setting, { events: ["call.dialing"] })
    assert.deepStrictEqual(yield* recover(setting, 0, 10, 10), recovering(0))
    yield* Setting.setWebhook(setting, { enabled: false })
    assert.deepStrictEqual(yield* recover(setting, 0, 10, 10), { _tag: "Disabled" })
  })
}
