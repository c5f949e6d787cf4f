/** Steps that the suites on deliveries share. */
import { type Call, Ids, Page, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type * as Fixture from "../storage/Fixture.ts"
import { start } from "../storage/Fixture.ts"

/** A test call that has ended, so that its event is due at once. */
export const endedCall = (
  fixture: Fixture.Fixture,
  seconds = 0
): Effect.Effect<Call.CallRecord, Storage.StorageError> =>
  start(fixture, {
    test: true,
    createdAt: Factories.at(seconds),
    status: "completed",
    endedAt: Factories.at(seconds),
    outcome: Factories.outcome,
    outcomeState: "stored"
  })

/** The event of such a call, by its id. */
export const event = (fixture: Fixture.Fixture, seconds = 0) =>
  Effect.map(endedCall(fixture, seconds), ({ id }) => Ids.terminalEventId(id))

export const events = (fixture: Fixture.Fixture, count: number, seconds = 0) =>
  Effect.forEach(Array.from({ length: count }), () => event(fixture, seconds))

export const claim = ({ accountId, storage }: Fixture.Fixture, seconds: number, token = Factories.token()) =>
  storage.deliveries.claim({ accountId, now: Factories.at(seconds), limit: 100, token })

/** Settles the deliveries with this attempt. */
export const settleWith = (
  { accountId, storage }: Fixture.Fixture,
  token: Ids.ClaimToken,
  seconds: number,
  result: Storage.DeliveryResult,
  deliveries: ReadonlyArray<Storage.ClaimedDelivery>,
  attempt: Omit<Storage.DeliveryAttempt, "at"> = { cause: "schedule", statusCode: 204, durationMs: 7 }
) =>
  storage.deliveries.settle({
    accountId,
    token,
    now: Factories.at(seconds),
    results: deliveries.map(({ id }) => ({
      deliveryId: id,
      result,
      attempt: { at: Factories.at(seconds), ...attempt }
    }))
  })

export const settle = (
  { accountId, storage }: Fixture.Fixture,
  token: Ids.ClaimToken,
  seconds: number,
  result: Storage.DeliveryResult,
  deliveries: ReadonlyArray<Pick<Storage.ClaimedDelivery, "id" | "cause">>
) =>
  storage.deliveries.settle({
    accountId,
    token,
    now: Factories.at(seconds),
    results: deliveries.map(({ cause, id }) => ({
      deliveryId: id,
      result,
      attempt: { at: Factories.at(seconds), cause, statusCode: result._tag === "Delivered" ? 200 : 500, durationMs: 5 }
    }))
  })

/** The result of a receiver that answers 500: a probe is not counted, all others wait for a minute. */
const failure = ({ cause }: Storage.ClaimedDelivery, seconds: number): Storage.DeliveryResult =>
  cause === "probe" ? { _tag: "ProbeFailed" } : { _tag: "RetryAt", at: Factories.at(seconds + 60) }

/** Claims the deliveries that may be sent at that time and fails them, one by one; returns them. */
export const fail = Effect.fnUntraced(function*(fixture: Fixture.Fixture, seconds: number) {
  const token = Factories.token()
  const claimed = yield* claim(fixture, seconds, token)
  for (const delivery of claimed) yield* settle(fixture, token, seconds, failure(delivery, seconds), [delivery])
  return claimed
})

/** Claims the deliveries that may be sent at that time and delivers them; returns them. */
export const succeed = Effect.fnUntraced(function*(fixture: Fixture.Fixture, seconds: number) {
  const token = Factories.token()
  const claimed = yield* claim(fixture, seconds, token)
  yield* settle(fixture, token, seconds, { _tag: "Delivered" }, claimed)
  return claimed
})

/** Fails five times in a row at that time, which opens the breaker, with five events that wait for a minute. */
export const open = Effect.fnUntraced(function*(fixture: Fixture.Fixture, seconds = 0) {
  const ids = yield* events(fixture, 5, seconds)
  yield* fail(fixture, seconds)
  yield* fail(fixture, seconds)
  return ids
})

const firstPage: Page.PageRequest = { limit: 100, after: Option.none() }

/** The log, newest first. */
export const log = ({ accountId, storage }: Fixture.Fixture, filter: Storage.DeliveryFilter = {}) =>
  Effect.map(storage.deliveries.list({ accountId, filter, page: firstPage }), ({ items }) => items)

/** The delivery of the event. */
export const deliveryOf = ({ accountId, storage }: Fixture.Fixture, eventId: Ids.EventId) =>
  Effect.map(storage.deliveries.get(accountId, Ids.deliveryId(eventId)), Option.getOrThrow)
