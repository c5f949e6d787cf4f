/** Claim on write: a process that writes events and sends deliveries claims the deliveries with the events. */
import { assert } from "@effect/vitest"
import { type CarrierEvent, EventBodies, Ids, Limits, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Steps from "../webhook/DeliverySteps.ts"
import * as Fixture from "../storage/Fixture.ts"

const inFlight = Limits.deliveriesInFlight

const makeSender = (sender: Partial<Storage.DeliverySender> = {}): Storage.DeliverySender => ({
  token: Factories.token(),
  limit: 100,
  ...sender
})

const make = Effect.gen(function*() {
  const fixture = yield* Fixture.make({ lines: 100 })
  const { endpoint } = yield* Fixture.setWebhook(fixture)
  return { ...fixture, endpoint }
})

/** Ends calls at that time, written by the sender. Their events are due to the endpoint. */
const end = Effect.fnUntraced(
  function*(fixture: Fixture.Fixture, count: number, seconds: number, sender?: Storage.DeliverySender) {
    const submitted = yield* Effect.forEach(Array.from({ length: count }), () => Fixture.submitted(fixture))
    return yield* report(fixture, submitted.map(({ callId }) => callId), seconds, sender)
  }
)

const report = (
  { accountId, storage }: Fixture.Fixture,
  callIds: ReadonlyArray<Ids.CallId>,
  seconds: number,
  sender: Storage.DeliverySender | undefined
) => {
  const now = Factories.at(seconds)
  const event: CarrierEvent.Ended = { _tag: "Ended", at: now, result: "busy", transcript: [], recorded: false }
  const reports = callIds.map((callId) => ({ callId, event }))
  return storage.dispatch.report({ accountId, now, reports, events: EventBodies.eventWriter(now), sender })
}

/** Settles the outcome of a call at 21 s, written by the sender. */
const settleOutcome = Effect.fnUntraced(
  function*(fixture: Fixture.Fixture, callId: Ids.CallId, sender: Storage.DeliverySender, doNotCall = false) {
    const { accountId, storage } = fixture
    yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
    const token = Factories.token()
    yield* storage.outcomes.claim({ accountId, now: Factories.at(20), limit: 10, token })
    const now = Factories.at(21)
    return yield* storage.outcomes.settle({
      accountId,
      token,
      now,
      results: [{ callId, result: { _tag: "Stored", outcome: { ...Factories.outcome, doNotCall } } }],
      events: EventBodies.eventWriter(now),
      sender
    })
  }
)

/** The deliveries of the end of a call that are due at that time. */
const expectedDeliveries = Effect.fnUntraced(
  function*(fixture: Effect.Success<typeof make>, callId: Ids.CallId, seconds: number) {
    const event = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId))
    const { endpoint: { secret, url } } = fixture
    return {
      id: Ids.deliveryId(event.id),
      eventId: event.id,
      attempts: 0,
      cause: "schedule",
      dueAt: Factories.at(seconds),
      url,
      secrets: [{ ...secret, accountId: fixture.accountId }],
      body: event.body
    } satisfies Storage.ClaimedDelivery
  }
)

const claimed = (deliveries: ReadonlyArray<Pick<Storage.ClaimedDelivery, "id">>) => deliveries.map(({ id }) => id)

export const cases: Cases = {
  "claims the delivery of an end for its writer, as a claim right afterwards would": Effect.gen(function*() {
    const fixture = yield* make
    const { callId } = yield* Fixture.submitted(fixture)
    const sender = makeSender()
    const { deliveries, isMore } = yield* report(fixture, [callId], 5, sender)
    assert.deepStrictEqual({ deliveries, isMore }, {
      deliveries: [yield* expectedDeliveries(fixture, callId, 5)],
      isMore: false
    })
    assert.isFalse(yield* Fixture.isDue(fixture, "delivery", 64))
    assert.deepStrictEqual(yield* Steps.claim(fixture, 64), [])
    yield* Steps.settle(fixture, sender.token, 6, { _tag: "Delivered" }, deliveries)
    const [delivery] = yield* Steps.log(fixture)
    assert.deepStrictEqual([delivery?.state, delivery?.attempts.length], ["delivered", 1])
  }),

  "claims the delivery of an outcome for its writer": Effect.gen(function*() {
    const fixture = yield* make
    const { callId } = yield* Fixture.submitted(fixture)
    const handedOver = yield* settleOutcome(fixture, callId, makeSender())
    assert.deepStrictEqual(handedOver, { deliveries: [yield* expectedDeliveries(fixture, callId, 21)], isMore: false })
    assert.deepStrictEqual(yield* Steps.claim(fixture, 80), [])
  }),

  "leaves deliveries unclaimed if their writer does not send": Effect.gen(function*() {
    const fixture = yield* make
    const { deliveries, isMore } = yield* end(fixture, 2, 5)
    assert.deepStrictEqual([deliveries.length, isMore], [0, true])
    assert.lengthOf(yield* Steps.claim(fixture, 5), 2)
  }),

  "reclaims deliveries of a sender that has gone, and accepts no result from it": Effect.gen(function*() {
    const fixture = yield* make
    const gone = makeSender()
    const { deliveries } = yield* end(fixture, 1, 5, gone)
    const again = yield* Steps.claim(fixture, 65)
    assert.deepStrictEqual(again.map(({ attempts, id }) => [id, attempts]), deliveries.map(({ id }) => [id, 0]))
    yield* Steps.settle(fixture, gone.token, 66, { _tag: "Exhausted" }, deliveries)
    assert.deepStrictEqual((yield* Steps.log(fixture)).map(({ state }) => state), ["sending"])
  }),

  "claims no delivery twice": Effect.gen(function*() {
    const fixture = yield* make
    const { callId } = yield* Fixture.submitted(fixture)
    const sender = makeSender()
    const first = yield* report(fixture, [callId, callId], 5, sender)
    assert.lengthOf(first.deliveries, 1)
    const again = yield* report(fixture, [callId], 5, sender)
    assert.deepStrictEqual([again.deliveries.length, again.isMore], [0, false])
  }),

  "claims the first deliveries up to the limit in flight, and prefetches for a sole sender": Effect.gen(function*() {
    const fixture = yield* make
    const few = yield* end(fixture, inFlight + 2, 5, makeSender())
    assert.deepStrictEqual([few.deliveries.length, few.isMore], [inFlight, true])
    const rest = claimed(yield* Steps.log(fixture, { states: ["pending"] }))
    assert.isTrue(few.deliveries.every(({ id }) => rest.every((other) => id < other)))
    const other = yield* make
    const ahead = yield* end(other, inFlight + 10, 5, makeSender({ ahead: 9 }))
    assert.deepStrictEqual([ahead.deliveries.length, ahead.isMore], [inFlight + 9, true])
    const limited = yield* make
    assert.lengthOf((yield* end(limited, 10, 5, makeSender({ limit: 3, ahead: 9 }))).deliveries, 3)
  }),

  "counts the deliveries that others have in flight, and prefetches nothing beside them": Effect.gen(function*() {
    const fixture = yield* make
    yield* end(fixture, inFlight - 1, 5)
    const token = Factories.token()
    const theirs = yield* Steps.claim(fixture, 5, token)
    const sender = makeSender({ ahead: 10 })
    const beside = yield* end(fixture, 3, 5, sender)
    assert.deepStrictEqual([theirs.length, beside.deliveries.length], [inFlight - 1, 1])
    yield* Steps.settle(fixture, token, 6, { _tag: "Delivered" }, theirs)
    assert.lengthOf(yield* Steps.claim(fixture, 6, token), 2)
    assert.lengthOf((yield* end(fixture, 3, 6, sender)).deliveries, 1)
  }),

  "claims nothing on write while an earlier delivery is due": Effect.gen(function*() {
    const fixture = yield* make
    yield* end(fixture, 1, 5)
    const sender = makeSender({ ahead: 10 })
    const behind = yield* end(fixture, 1, 6, sender)
    assert.deepStrictEqual([behind.deliveries.length, behind.isMore], [0, true])
    const due = yield* Steps.claim(fixture, 6, sender.token)
    assert.deepStrictEqual(due.map(({ dueAt }) => dueAt), [Factories.at(5), Factories.at(6)])
    assert.lengthOf((yield* end(fixture, 1, 7, sender)).deliveries, 1)
    // Without deferred deliveries and those in flight, unless the lease has expired.
    yield* Steps.settle(fixture, sender.token, 7, { _tag: "NotSent", at: Factories.at(60) }, due.slice(0, 1))
    yield* Steps.settle(fixture, sender.token, 7, { _tag: "Delivered" }, due.slice(1))
    assert.lengthOf((yield* end(fixture, 1, 59, sender)).deliveries, 1)
    assert.lengthOf((yield* end(fixture, 1, 60, sender)).deliveries, 0)
  }),

  "claims nothing on write behind a delivery whose sender has gone": Effect.gen(function*() {
    const fixture = yield* make
    yield* end(fixture, 1, 5, makeSender())
    assert.lengthOf((yield* end(fixture, 1, 64, makeSender())).deliveries, 1)
    assert.lengthOf((yield* end(fixture, 1, 65, makeSender())).deliveries, 0)
  }),

  "claims nothing on write while the endpoint fails, recovers or is disabled": Effect.gen(function*() {
    const fixture = yield* make
    yield* end(fixture, 1, 5)
    yield* Steps.fail(fixture, 5)
    assert.deepStrictEqual((yield* end(fixture, 1, 6, makeSender())).deliveries, [])
    yield* Steps.succeed(fixture, 6)
    assert.lengthOf((yield* end(fixture, 1, 7, makeSender())).deliveries, 1)
    yield* Fixture.setWebhook(fixture, { enabled: false, updatedAt: Factories.at(8) })
    const held = yield* end(fixture, 1, 8, makeSender())
    assert.deepStrictEqual([held.deliveries.length, held.isMore], [0, true])
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(100) })
    while ((yield* Steps.succeed(fixture, 100)).length > 0);
    assert.deepStrictEqual((yield* end(fixture, 1, 109, makeSender())).deliveries, [])
    yield* Steps.succeed(fixture, 109)
    assert.lengthOf((yield* end(fixture, 1, 110, makeSender())).deliveries, 1)
  }),

  "claims nothing on write while the breaker is open": Effect.gen(function*() {
    const fixture = yield* make
    yield* Steps.open(fixture)
    for (const at of [29, 30, 31]) assert.deepStrictEqual((yield* end(fixture, 1, at, makeSender())).deliveries, [])
  }),

  "claims the kinds that the endpoint subscribes to, and leaves subscribers' deliveries alone": Effect.gen(function*() {
    const fixture = yield* make
    const { accountId, storage } = fixture
    yield* Fixture.setWebhook(fixture, { events: ["call.completed"] })
    const unwanted = yield* end(fixture, 1, 5, makeSender())
    assert.deepStrictEqual([unwanted.deliveries.length, unwanted.isMore], [0, false])
    yield* storage.subscriptions.put({ accountId, name: "crm", events: ["call.not_connected"], now: Factories.start })
    const theirs = yield* end(fixture, 1, 6, makeSender())
    assert.deepStrictEqual([theirs.deliveries.length, theirs.isMore], [0, true])
    yield* Fixture.setWebhook(fixture)
    const both = yield* end(fixture, 1, 7, makeSender())
    assert.deepStrictEqual([both.deliveries.length, both.isMore], [1, true])
    const options = { accountId, name: "crm", now: Factories.at(7), token: Factories.token() }
    assert.lengthOf(yield* storage.subscriptions.claim(options), 2)
  }),

  "ignores an earlier endpoint's response to a delivery that was claimed on write": Effect.gen(function*() {
    const fixture = yield* make
    const sender = makeSender()
    yield* Fixture.setWebhook(fixture, { url: "https://example.com/first", updatedAt: Factories.at(1) })
    const [old, kept] = (yield* end(fixture, 2, 5, sender)).deliveries
    assert.strictEqual(old?.url, "https://example.com/first")
    yield* Fixture.setWebhook(fixture, { updatedAt: Factories.at(6) })
    assert.deepStrictEqual(
      yield* Steps.settle(fixture, sender.token, 7, { _tag: "Gone" }, old === undefined ? [] : [old]),
      Option.none()
    )
    yield* Steps.settle(fixture, sender.token, 7, { _tag: "Delivered" }, kept === undefined ? [] : [kept])
    yield* Steps.succeed(fixture, 7)
    const { deliveries } = yield* end(fixture, 1, 8, sender)
    assert.strictEqual(deliveries[0]?.url, fixture.endpoint.url)
    assert.deepStrictEqual(
      yield* Steps.settle(fixture, sender.token, 9, { _tag: "Gone" }, deliveries),
      Option.some("gone" as const)
    )
  }),

  "drops deliveries that were claimed on write with their endpoint": Effect.gen(function*() {
    const fixture = yield* make
    const sender = makeSender()
    const { deliveries } = yield* end(fixture, 1, 5, sender)
    yield* fixture.storage.webhooks.delete(fixture.accountId)
    yield* Steps.settle(fixture, sender.token, 6, { _tag: "Delivered" }, deliveries)
    assert.deepStrictEqual((yield* Steps.log(fixture)).map(({ state }) => state), ["dropped"])
  }),

  "writes the events of calls that an outcome cancels before it claims the outcome's delivery": Effect.gen(function*() {
    const fixture = yield* make
    const { callId } = yield* Fixture.submitted(fixture)
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    yield* Fixture.start(fixture, { phoneNumber })
    const { deliveries, isMore } = yield* settleOutcome(fixture, callId, makeSender(), true)
    assert.deepStrictEqual([deliveries.length, isMore], [0, true])
    assert.lengthOf(yield* Steps.claim(fixture, 21), 2)
  }),

  "never has more than four in flight, with concurrent writers and claimers": Effect.gen(function*() {
    const fixture = yield* make
    const submitted = yield* Effect.forEach(Array.from({ length: 24 }), () => Fixture.submitted(fixture))
    const taken = yield* Effect.forEach(
      submitted,
      ({ callId }, n) =>
        n % 3 === 0
          ? Steps.claim(fixture, 5)
          : Effect.map(report(fixture, [callId], 5, makeSender({ ahead: 10 })), ({ deliveries }) => deliveries),
      { concurrency: "unbounded" }
    )
    const ids = claimed(taken.flat())
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.isAtMost(ids.length, inFlight)
    assert.lengthOf([...ids, ...claimed(yield* Steps.claim(fixture, 5))], inFlight)
  })
}
