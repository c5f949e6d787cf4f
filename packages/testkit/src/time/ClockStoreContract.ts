/** A clock that was ahead and was set back: nothing waits for the time that it showed. */
import { assert } from "@effect/vitest"
import { EventBodies, Limits, type Storage } from "@outdial/core"
import { Duration, Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

const day = 86_400

/** How far ahead the clock was, and its time after it was set back, in seconds. */
const [ahead, now] = [40 * day, 100]

const setBack = ({ accountId, storage }: Fixture.Fixture) =>
  storage.clock.setBack({ accountId, now: Factories.at(now) })

const takeStale = ({ accountId, storage }: Fixture.Fixture, seconds: number) =>
  Effect.map(
    storage.dispatch.claimStaleCalls({
      carriers: [Factories.carrier],
      accountId,
      now: Factories.at(seconds),
      limit: 10
    }),
    (calls) => calls.map(({ callId }) => callId)
  )

const claimDeliveries = ({ accountId, storage }: Fixture.Fixture, seconds: number) =>
  storage.deliveries.claim({ accountId, now: Factories.at(seconds), token: Factories.token(), limit: 10 })

/** A delivery that was claimed while the clock was ahead. */
const sentAhead = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  yield* Fixture.setWebhook(fixture)
  const callId = yield* Fixture.complete(fixture, { createdAt: Factories.start })
  const token = Factories.token()
  const [delivery] = yield* fixture.storage.deliveries.claim({
    accountId: fixture.accountId,
    now: Factories.at(ahead),
    token,
    limit: 10
  })
  assert.isDefined(delivery)
  return { callId, token, id: delivery.id }
})

const settle = (
  { accountId, storage }: Fixture.Fixture,
  { id, token }: Pick<Effect.Success<ReturnType<typeof sentAhead>>, "id" | "token">,
  result: Storage.DeliveryResult
) => storage.deliveries.settle({ accountId, token, now: Factories.at(ahead), results: [{ deliveryId: id, result }] })

export const cases: Cases = {
  "looks up a live call once a lease from now has expired": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, ahead, { _tag: "Alive" })
    assert.deepStrictEqual(yield* takeStale(fixture, now + 60), [])
    yield* setBack(fixture)
    assert.deepStrictEqual(yield* takeStale(fixture, now + 59), [])
    assert.deepStrictEqual(yield* takeStale(fixture, now + 60), [callId])
  }),

  "counts the dial of a call that was submitted ahead from now, and keeps its line": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const { callId } = yield* Fixture.submitted(fixture, { createdAt: Factories.at(ahead) }, ahead)
    yield* setBack(fixture)
    const { claim, dialedAt, status } = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(
      { status, dialedAt, submittedAt: claim?.submittedAt },
      { status: "dialing", dialedAt: Factories.at(now), submittedAt: Factories.at(now) }
    )
    yield* Fixture.start(fixture, { createdAt: Factories.at(now) })
    assert.lengthOf((yield* Fixture.claim(fixture, { at: now + 2 })).claimed, 0)
    yield* Fixture.report(fixture, callId, now + 5, Fixture.talked(now + 1, now + 5))
    assert.lengthOf((yield* Fixture.claim(fixture, { at: now + 6 })).claimed, 1)
  }),

  "submits nothing that was claimed ahead": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { id } = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token, at: ahead / 10 })
    yield* setBack(fixture)
    const submitted = yield* storage.dispatch.submit({ accountId, callIds: [id], token, now: Factories.at(now) })
    assert.deepStrictEqual([...submitted], [])
    assert.deepStrictEqual(yield* takeStale(fixture, now + 60), [id])
  }),

  "examines a call that was held ahead now, and one with a requested time not before it": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({
        policy: { ...Factories.openPolicy, recallGapSeconds: day }
      })
      const { callId } = yield* Fixture.submitted(fixture, { createdAt: Factories.at(3 * day) }, 3 * day)
      const { phoneNumber } = yield* Fixture.get(fixture, callId)
      yield* Fixture.report(fixture, callId, 3 * day, Fixture.talked(3 * day, 3 * day))
      const held = yield* Fixture.start(fixture, { phoneNumber, createdAt: Factories.start })
      const asked = yield* Fixture.start(fixture, { notBefore: Factories.at(5 * day), dueAt: Factories.at(5 * day) })
      yield* Fixture.claim(fixture, { at: 3 * day })
      assert.deepStrictEqual((yield* Fixture.get(fixture, held.id)).dueAt, Factories.at(4 * day))
      yield* setBack(fixture)
      assert.deepStrictEqual((yield* Fixture.get(fixture, held.id)).dueAt, Factories.at(now))
      const { dueAt, notBefore } = yield* Fixture.get(fixture, asked.id)
      assert.deepStrictEqual({ dueAt, notBefore }, { dueAt: Factories.at(5 * day), notBefore: Factories.at(5 * day) })
      // The gap counts from now, because the time of the ring is unknown.
      yield* Fixture.claim(fixture, { at: now })
      assert.deepStrictEqual((yield* Fixture.get(fixture, held.id)).dueAt, Factories.at(now + day))
    }
  ),

  "soon retries a call whose carrier was unavailable": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId, token } = yield* Fixture.submitted(fixture, {}, 3 * day)
    yield* fixture.storage.dispatch.returnToQueue({
      accountId: fixture.accountId,
      callIds: [callId],
      token,
      now: Factories.at(3 * day),
      reason: "carrier_unavailable",
      events: EventBodies.eventWriter(Factories.at(3 * day))
    })
    yield* setBack(fixture)
    assert.lengthOf((yield* Fixture.claim(fixture, { at: now + 2 })).claimed, 1)
  }),

  "clears until when the account and its lanes were closed, and the dials of the last second": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, callsPerSecond: 1, dailyLimit: 1 } })
      yield* Fixture.start(fixture)
      yield* Fixture.start(fixture)
      yield* Fixture.claim(fixture, { at: 3 * day })
      assert.isFalse(yield* Fixture.isDue(fixture, "dial", now))
      yield* setBack(fixture)
      assert.isTrue(yield* Fixture.isDue(fixture, "dial", now + 2))
    }
  ),

  "makes the outcome of a call that ended ahead": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { callId } = yield* Fixture.submitted(fixture, { createdAt: Factories.at(ahead) }, ahead)
    yield* Fixture.report(fixture, callId, ahead + 20, Fixture.talked(ahead + 5, ahead + 20))
    const claim = (seconds: number) =>
      Effect.map(
        storage.outcomes.claim({ accountId, now: Factories.at(seconds), limit: 10, token: Factories.token() }),
        (claimed) => claimed.map(({ call }) => call.id)
      )
    yield* setBack(fixture)
    const { answeredAt, dialedAt, endedAt } = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(
      { dialedAt, answeredAt, endedAt },
      { dialedAt: Factories.at(now - 20), answeredAt: Factories.at(now - 15), endedAt: Factories.at(now) }
    )
    assert.isTrue(yield* Fixture.isDue(fixture, "outcome", now))
    assert.deepStrictEqual(yield* claim(now), [callId])
  }),

  "claims an outcome again a lease from now that was claimed ahead": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
    yield* storage.outcomes.claim({ accountId, now: Factories.at(ahead), limit: 10, token: Factories.token() })
    yield* setBack(fixture)
    const again = { accountId, now: Factories.at(now + 60), limit: 10, token: Factories.token() }
    assert.lengthOf(yield* storage.outcomes.claim(again), 1)
  }),

  "sends a delivery again a lease from now that was being sent, and at once one that waited": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const sending = yield* sentAhead(fixture)
    yield* setBack(fixture)
    assert.lengthOf(yield* claimDeliveries(fixture, now + 59), 0)
    assert.lengthOf(yield* claimDeliveries(fixture, now + 60), 1)
    const other = yield* Fixture.make()
    const waiting = yield* sentAhead(other)
    yield* settle(other, waiting, { _tag: "RetryAt", at: Factories.at(ahead + 5) })
    yield* setBack(other)
    assert.lengthOf(yield* claimDeliveries(other, now), 1)
    assert.notStrictEqual(sending.id, waiting.id)
  }),

  "probes an endpoint within its longest pause whose breaker opened ahead": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* Fixture.setWebhook(fixture)
    yield* Effect.forEach(Array.from({ length: Limits.breakerFailures }), () => Fixture.complete(fixture))
    for (let n = 0; n < Limits.breakerFailures; n++) {
      const token = Factories.token()
      const claimed = yield* storage.deliveries.claim({ accountId, now: Factories.at(ahead), token, limit: 1 })
      yield* Effect.forEach(
        claimed,
        ({ id }) => settle(fixture, { id, token }, { _tag: "RetryAt", at: Factories.at(ahead + 60) })
      )
    }
    assert.lengthOf(yield* claimDeliveries(fixture, now + day), 0)
    yield* setBack(fixture)
    assert.lengthOf(yield* claimDeliveries(fixture, now), 0)
    const pause = Duration.toSeconds(Limits.breakerPauseMost)
    assert.lengthOf(yield* claimDeliveries(fixture, now + pause), 1)
  }),

  "accepts requests again in a window that was ahead": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const take = (seconds: number) =>
      storage.access.takeFromWindow({ accountId, name: "test", now: Factories.at(seconds), limit: 1 })
    yield* take(ahead)
    assert.isFalse((yield* take(now)).allowed)
    yield* storage.clock.setBack({ accountId, now: Factories.at(now) })
    assert.isTrue((yield* take(now)).allowed)
    yield* storage.clock.setBack({ accountId, now: Factories.at(now) })
    assert.isFalse((yield* take(now)).allowed)
  }),

  "keeps what a correct clock has written": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* Fixture.setWebhook(fixture)
    const done = yield* Fixture.complete(fixture)
    const { callId: live } = yield* Fixture.submitted(fixture, {}, 50)
    const waiting = yield* Fixture.start(fixture, { notBefore: Factories.at(500), dueAt: Factories.at(500) })
    const all = Effect.forEach([done, live, waiting.id], (id) => Fixture.get(fixture, id))
    const before = yield* all
    const webhook = yield* storage.webhooks.get(accountId)
    yield* setBack(fixture)
    assert.deepStrictEqual(yield* all, before)
    assert.deepStrictEqual(yield* storage.webhooks.get(accountId), webhook)
    assert.isTrue(Option.isSome(webhook))
  })
}
