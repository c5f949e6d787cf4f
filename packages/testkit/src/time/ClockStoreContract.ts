/** The chapter on a clock that was ahead and has been set back: nothing keeps waiting for the time that it showed. */
import { assert } from "@effect/vitest"
import { EventBodies, Limits, type Storage } from "@outdial/core"
import { Duration, Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Setting from "../storage/Fixture.ts"

const day = 86_400

/** How far ahead the clock was, and what it says after it was set back, in seconds. */
const [ahead, now] = [40 * day, 100]

const setBack = ({ accountId, storage }: Setting.Setting) =>
  storage.clock.setBack({ accountId, now: Factories.at(now) })

const takeStale = ({ accountId, storage }: Setting.Setting, seconds: number) =>
  Effect.map(
    storage.dispatch.claimStaleCalls({
      carriers: [Factories.carrier],
      accountId,
      now: Factories.at(seconds),
      limit: 10
    }),
    (calls) => calls.map(({ callId }) => callId)
  )

const claimDeliveries = ({ accountId, storage }: Setting.Setting, seconds: number) =>
  storage.deliveries.claim({ accountId, now: Factories.at(seconds), token: Factories.token(), limit: 10 })

/** A delivery that was claimed while the clock was ahead. */
const sentAhead = Effect.fnUntraced(function*(setting: Setting.Setting) {
  yield* Setting.setWebhook(setting)
  const callId = yield* Setting.complete(setting, { createdAt: Factories.start })
  const token = Factories.token()
  const [delivery] = yield* setting.storage.deliveries.claim({
    accountId: setting.accountId,
    now: Factories.at(ahead),
    token,
    limit: 10
  })
  assert.isDefined(delivery)
  return { callId, token, id: delivery.id }
})

const settle = (
  { accountId, storage }: Setting.Setting,
  { id, token }: Pick<Effect.Success<ReturnType<typeof sentAhead>>, "id" | "token">,
  result: Storage.DeliveryResult
) => storage.deliveries.settle({ accountId, token, now: Factories.at(ahead), results: [{ deliveryId: id, result }] })

export const cases: Cases = {
  "has a live call looked up once a lease from now has run out": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId } = yield* Setting.submitted(setting)
    yield* Setting.report(setting, callId, ahead, { _tag: "Alive" })
    assert.deepStrictEqual(yield* takeStale(setting, now + 60), [])
    yield* setBack(setting)
    assert.deepStrictEqual(yield* takeStale(setting, now + 59), [])
    assert.deepStrictEqual(yield* takeStale(setting, now + 60), [callId])
  }),

  "counts the dial of a call that was submitted ahead from now, and keeps its line": Effect.gen(function*() {
    const setting = yield* Setting.make({ lines: 1 })
    const { callId } = yield* Setting.submitted(setting, { createdAt: Factories.at(ahead) }, ahead)
    yield* setBack(setting)
    const { claim, dialedAt, status } = yield* Setting.get(setting, callId)
    assert.deepStrictEqual(
      { status, dialedAt, submittedAt: claim?.submittedAt },
      { status: "dialing", dialedAt: Factories.at(now), submittedAt: Factories.at(now) }
    )
    yield* Setting.start(setting, { createdAt: Factories.at(now) })
    assert.lengthOf((yield* Setting.claim(setting, { at: now + 2 })).claimed, 0)
    yield* Setting.report(setting, callId, now + 5, Setting.talked(now + 1, now + 5))
    assert.lengthOf((yield* Setting.claim(setting, { at: now + 6 })).claimed, 1)
  }),

  "submits nothing that was claimed ahead": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, storage } = setting
    const { id } = yield* Setting.start(setting)
    const token = Factories.token()
    yield* Setting.claim(setting, { token, at: ahead / 10 })
    yield* setBack(setting)
    const submitted = yield* storage.dispatch.submit({ accountId, callIds: [id], token, now: Factories.at(now) })
    assert.deepStrictEqual([...submitted], [])
    assert.deepStrictEqual(yield* takeStale(setting, now + 60), [id])
  }),

  "has a call that was held ahead looked at now, and one with a time of its own not before that": Effect.gen(
    function*() {
      const setting = yield* Setting.make({
        policy: { ...Factories.openPolicy, recallGapSeconds: day }
      })
      const { callId } = yield* Setting.submitted(setting, { createdAt: Factories.at(3 * day) }, 3 * day)
      const { phoneNumber } = yield* Setting.get(setting, callId)
      yield* Setting.report(setting, callId, 3 * day, Setting.talked(3 * day, 3 * day))
      const held = yield* Setting.start(setting, { phoneNumber, createdAt: Factories.start })
      const asked = yield* Setting.start(setting, { notBefore: Factories.at(5 * day), dueAt: Factories.at(5 * day) })
      yield* Setting.claim(setting, { at: 3 * day })
      assert.deepStrictEqual((yield* Setting.get(setting, held.id)).dueAt, Factories.at(4 * day))
      yield* setBack(setting)
      assert.deepStrictEqual((yield* Setting.get(setting, held.id)).dueAt, Factories.at(now))
      const { dueAt, notBefore } = yield* Setting.get(setting, asked.id)
      assert.deepStrictEqual({ dueAt, notBefore }, { dueAt: Factories.at(5 * day), notBefore: Factories.at(5 * day) })
      // The gap counts from now: when exactly the phone rang is not known.
      yield* Setting.claim(setting, { at: now })
      assert.deepStrictEqual((yield* Setting.get(setting, held.id)).dueAt, Factories.at(now + day))
    }
  ),

  "tries a call again soon whose carrier was unavailable": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId, token } = yield* Setting.submitted(setting, {}, 3 * day)
    yield* setting.storage.dispatch.returnToQueue({
      accountId: setting.accountId,
      callIds: [callId],
      token,
      now: Factories.at(3 * day),
      reason: "carrier_unavailable",
      events: EventBodies.eventWriter(Factories.at(3 * day))
    })
    yield* setBack(setting)
    assert.lengthOf((yield* Setting.claim(setting, { at: now + 2 })).claimed, 1)
  }),

  "forgets until when the account and its lanes were closed, and what was dialed in the last second": Effect.gen(
    function*() {
      const setting = yield* Setting.make({ policy: { ...Factories.openPolicy, callsPerSecond: 1, dailyLimit: 1 } })
      yield* Setting.start(setting)
      yield* Setting.start(setting)
      yield* Setting.claim(setting, { at: 3 * day })
      assert.isFalse(yield* Setting.isDue(setting, "dial", now))
      yield* setBack(setting)
      assert.isTrue(yield* Setting.isDue(setting, "dial", now + 2))
    }
  ),

  "has the outcome of a call made that ended ahead": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, storage } = setting
    const { callId } = yield* Setting.submitted(setting, { createdAt: Factories.at(ahead) }, ahead)
    yield* Setting.report(setting, callId, ahead + 20, Setting.talked(ahead + 5, ahead + 20))
    const claim = (seconds: number) =>
      Effect.map(
        storage.outcomes.claim({ accountId, now: Factories.at(seconds), limit: 10, token: Factories.token() }),
        (claimed) => claimed.map(({ call }) => call.id)
      )
    yield* setBack(setting)
    const { answeredAt, dialedAt, endedAt } = yield* Setting.get(setting, callId)
    assert.deepStrictEqual(
      { dialedAt, answeredAt, endedAt },
      { dialedAt: Factories.at(now - 20), answeredAt: Factories.at(now - 15), endedAt: Factories.at(now) }
    )
    assert.isTrue(yield* Setting.isDue(setting, "outcome", now))
    assert.deepStrictEqual(yield* claim(now), [callId])
  }),

  "claims an outcome again a lease from now that was claimed ahead": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, storage } = setting
    const { callId } = yield* Setting.submitted(setting)
    yield* Setting.report(setting, callId, 20, Setting.talked(5, 20))
    yield* storage.outcomes.claim({ accountId, now: Factories.at(ahead), limit: 10, token: Factories.token() })
    yield* setBack(setting)
    const again = { accountId, now: Factories.at(now + 60), limit: 10, token: Factories.token() }
    assert.lengthOf(yield* storage.outcomes.claim(again), 1)
  }),

  "sends a delivery again a lease from now that was being sent, and at once one that waited": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const sending = yield* sentAhead(setting)
    yield* setBack(setting)
    assert.lengthOf(yield* claimDeliveries(setting, now + 59), 0)
    assert.lengthOf(yield* claimDeliveries(setting, now + 60), 1)
    const other = yield* Setting.make()
    const waiting = yield* sentAhead(other)
    yield* settle(other, waiting, { _tag: "RetryAt", at: Factories.at(ahead + 5) })
    yield* setBack(other)
    assert.lengthOf(yield* claimDeliveries(other, now), 1)
    assert.notStrictEqual(sending.id, waiting.id)
  }),

  "probes an endpoint within its longest pause whose breaker opened ahead": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, storage } = setting
    yield* Setting.setWebhook(setting)
    yield* Effect.forEach(Array.from({ length: Limits.breakerFailures }), () => Setting.complete(setting))
    for (let n = 0; n < Limits.breakerFailures; n++) {
      const token = Factories.token()
      const claimed = yield* storage.deliveries.claim({ accountId, now: Factories.at(ahead), token, limit: 1 })
      yield* Effect.forEach(
        claimed,
        ({ id }) => settle(setting, { id, token }, { _tag: "RetryAt", at: Factories.at(ahead + 60) })
      )
    }
    assert.lengthOf(yield* claimDeliveries(setting, now + day), 0)
    yield* setBack(setting)
    assert.lengthOf(yield* claimDeliveries(setting, now), 0)
    const pause = Duration.toSeconds(Limits.breakerPauseMost)
    assert.lengthOf(yield* claimDeliveries(setting, now + pause), 1)
  }),

  "takes requests again where a window was ahead": Effect.gen(function*() {
    const { accountId, storage } = yield* Setting.make()
    const take = (seconds: number) =>
      storage.access.takeFromWindow({ accountId, name: "test", now: Factories.at(seconds), limit: 1 })
    yield* take(ahead)
    assert.isFalse((yield* take(now)).allowed)
    yield* storage.clock.setBack({ accountId, now: Factories.at(now) })
    assert.isTrue((yield* take(now)).allowed)
    yield* storage.clock.setBack({ accountId, now: Factories.at(now) })
    assert.isFalse((yield* take(now)).allowed)
  }),

  "leaves alone what a right clock has written": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, storage } = setting
    yield* Setting.setWebhook(setting)
    const done = yield* Setting.complete(setting)
    const { callId: live } = yield* Setting.submitted(setting, {}, 50)
    const waiting = yield* Setting.start(setting, { notBefore: Factories.at(500), dueAt: Factories.at(500) })
    const all = Effect.forEach([done, live, waiting.id], (id) => Setting.get(setting, id))
    const before = yield* all
    const webhook = yield* storage.webhooks.get(accountId)
    yield* setBack(setting)
    assert.deepStrictEqual(yield* all, before)
    assert.deepStrictEqual(yield* storage.webhooks.get(accountId), webhook)
    assert.isTrue(Option.isSome(webhook))
  })
}
