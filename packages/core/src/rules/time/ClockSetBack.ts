/**
 * Corrects instants written by a clock that has been set back since, so that nothing waits for the later time: each instant becomes the
 * latest that a correct clock could have written. Instants that a caller asked for are unchanged. Pure.
 */
import { DateTime, type Duration } from "effect"
import type { CallState, Claim } from "../../domain/Call.ts"
import * as Limits from "../../domain/Limits.ts"
import type { Breaker } from "../webhook/CircuitBreaker.ts"
import * as RetrySchedule from "../webhook/RetrySchedule.ts"

/** The instant, or `now` when it is later. */
export const notAfter = (at: DateTime.Utc, now: DateTime.Utc): DateTime.Utc =>
  DateTime.isGreaterThan(at, now) ? now : at

/** The instant, or the end of `span` from now when it is later than that. */
const within = (at: DateTime.Utc, now: DateTime.Utc, span: Duration.Duration): DateTime.Utc =>
  notAfter(at, DateTime.addDuration(now, span))

/** The call by the clock that shows `now`. */
export const call = <C extends CallState>(before: C, now: DateTime.Utc): C => ({
  ...before,
  ...(before.status === "queued" && waiting(before, now)),
  ...(before.claim !== undefined && { claim: claim(before.claim, now) }),
  ...dates(before, now),
  ...(before.outcomeDueAt !== undefined && { outcomeDueAt: notAfter(before.outcomeDueAt, now) }),
  ...(before.outcomeLeaseUntil !== undefined && {
    outcomeLeaseUntil: within(before.outcomeLeaseUntil, now, Limits.outcomeLease)
  })
})

/** A waiting call is due again as soon as its `notBefore` allows; the rules decide again what else holds it. */
const waiting = ({ dueAt, notBefore, unavailableCount }: CallState, now: DateTime.Utc) => {
  // After an unavailable carrier the instant is ours; before, it is the caller's.
  const earliest = notBefore === undefined || unavailableCount === 0
    ? notBefore
    : within(notBefore, now, RetrySchedule.unavailableDelay(unavailableCount))
  return {
    dueAt: notAfter(dueAt, DateTime.max(now, earliest ?? now)),
    ...(earliest !== undefined && { notBefore: earliest })
  }
}

/** A call that is not submitted yet must not be submitted under this claim: the rules were evaluated for another time. */
const claim = (before: Claim, now: DateTime.Utc): Claim => ({
  ...before,
  leaseUntil: within(before.leaseUntil, now, Limits.lineLease),
  dialBy: notAfter(before.dialBy, now),
  ...(before.submittedAt !== undefined && { submittedAt: notAfter(before.submittedAt, now) })
})

/**
 * The instants that limits and deadlines count from. A call dialed in the future moves as a whole: its durations are
 * unchanged, and its last instant is now.
 */
const dates = ({ answeredAt, dialedAt, endedAt }: CallState, now: DateTime.Utc) => {
  const last = endedAt ?? answeredAt ?? dialedAt ?? now
  const ahead = DateTime.distance(now, last)
  const isDialedAhead = dialedAt !== undefined && DateTime.isGreaterThan(dialedAt, now)
  const moved = (at: DateTime.Utc) => isDialedAhead ? DateTime.subtractDuration(at, ahead) : notAfter(at, now)
  return {
    ...(dialedAt !== undefined && { dialedAt: moved(dialedAt) }),
    ...(answeredAt !== undefined && { answeredAt: moved(answeredAt) }),
    ...(endedAt !== undefined && { endedAt: moved(endedAt) })
  }
}

/** When a delivery is due: a waiting one now, one in flight when a lease from now runs out. */
export const deliveryDueAt = (
  { dueAt, isSending }: { readonly dueAt: DateTime.Utc; readonly isSending: boolean },
  now: DateTime.Utc
): DateTime.Utc => isSending ? within(dueAt, now, Limits.deliveryLease) : notAfter(dueAt, now)

/** The endpoint's breaker by the clock that shows `now`. */
export const breaker = (before: Breaker, now: DateTime.Utc): Breaker => ({
  ...before,
  ...(before.openUntil !== undefined && { openUntil: within(before.openUntil, now, Limits.breakerPauseMost) }),
  ...(before.failingSince !== undefined && { failingSince: notAfter(before.failingSince, now) }),
  ...(before.recoveredAt !== undefined && { recoveredAt: notAfter(before.recoveredAt, now) })
})
