/**
 * Whether an endpoint gets deliveries, and how many at once. Five failures in a row open its breaker. Then one probe is
 * sent after each pause, which uses up no attempt, until one succeeds; the backlog follows with a ramp. Pure.
 */
import { DateTime, Duration } from "effect"
import type { DeliveryResult } from "../../domain/Delivery.ts"
import * as Limits from "../../domain/Limits.ts"
import type { DisabledReason } from "../../domain/WebhookEndpoint.ts"

/** The state of an endpoint's health. */
export interface Breaker {
  /** Failures since the last success. */
  readonly failures: number
  /** When the first of them happened. */
  readonly failingSince?: DateTime.Utc
  /** How often it has opened since the last success; 0 while it is closed. */
  readonly openings: number
  /** While it is open: when the next probe may be sent. */
  readonly openUntil?: DateTime.Utc
  /** When it last closed, or was set right by its owner. */
  readonly recoveredAt?: DateTime.Utc
}

/** That of an endpoint that nothing is known of. */
export const closed: Breaker = { failures: 0, openings: 0 }

/** What a result says about the receiver; `unknown` when nothing was sent. */
export type HealthSignal = "delivered" | "failed" | "probe_failed" | "gone" | "unknown"

/** The effect of a result on an endpoint. */
export interface Verdict {
  readonly breaker: Breaker
  /** Whether the waiting deliveries become due now. */
  readonly recovers: boolean
  readonly disables?: DisabledReason
}

/** The endpoint after an attempt that ended at `now`. */
export const after = (breaker: Breaker, signal: HealthSignal, now: DateTime.Utc): Verdict => {
  if (signal === "delivered") return { breaker: succeeded(breaker, now), recovers: isProbing(breaker) }
  // The next probe waits as long as this one did; otherwise it would be retried without a pause.
  if (signal === "unknown") return { breaker: isProbing(breaker) ? paused(breaker, now) : breaker, recovers: false }
  const next = failed(breaker, { now, probe: signal === "probe_failed" })
  if (signal === "gone") return { breaker: next, recovers: false, disables: "gone" }
  return { breaker: next, recovers: false, ...(isGivenUp(next, now) && { disables: "failing" }) }
}

/** What each result says about the receiver; `undefined` when nothing was tried. */
const signals: { readonly [Tag in DeliveryResult["_tag"]]: HealthSignal | undefined } = {
  Delivered: "delivered",
  RetryAt: "failed",
  Exhausted: "failed",
  ProbeFailed: "probe_failed",
  NotSent: "unknown",
  Gone: "gone",
  Returned: undefined
}

/**
 * The endpoint after these results, in order. It recovers if any of them makes it recover. `gone`, which the receiver
 * reported itself, has priority over `failing`.
 */
export const fold = (breaker: Breaker, results: ReadonlyArray<DeliveryResult>, now: DateTime.Utc): Verdict =>
  results.reduce<Verdict>((before, result) => {
    const signal = signals[result._tag]
    if (signal === undefined) return before
    const { breaker, disables = before.disables, recovers } = after(before.breaker, signal, now)
    const reason = before.disables === "gone" ? "gone" : disables
    return { breaker, recovers: before.recovers || recovers, ...(reason !== undefined && { disables: reason }) }
  }, { breaker, recovers: false })

/**
 * The minimum number of open deliveries for disabling an endpoint. In a quiet week a single event may be the problem;
 * of two or more, each was the probe in turn, and none was accepted.
 */
export const openToDisable: Readonly<Record<DisabledReason, number>> = { gone: 0, failing: 2 }

/** The settings of an endpoint that its breaker depends on. */
export interface Target {
  readonly url: string
  readonly enabled: boolean
}

/** The effect of new settings on an endpoint. */
export interface Reset {
  readonly breaker: Breaker
  /** Whether it counts as another endpoint: earlier results do not apply to it. */
  readonly renews: boolean
  /** Whether the waiting deliveries become due now. */
  readonly recovers: boolean
}

/**
 * Applies new settings: an endpoint that is enabled again starts with a ramp, and a new URL of a failing endpoint gets
 * a probe at once. Unchanged settings say nothing about the receiver and change nothing.
 */
export const reset = (
  breaker: Breaker,
  options: { readonly now: DateTime.Utc; readonly before: Target; readonly after: Target }
): Reset => {
  const { after, before, now } = options
  const renews = before.url !== after.url || before.enabled !== after.enabled
  if (!renews) return { breaker, renews, recovers: false }
  if (!before.enabled && after.enabled) return { breaker: recovered(now), renews, recovers: true }
  // Not closed: it is unknown whether there is a receiver, and finding out should use up no attempts.
  if (isProbing(breaker)) return { breaker: { failures: 0, openings: 1, openUntil: now }, renews, recovers: false }
  return { breaker: { ...closed, ...rampOf(breaker) }, renews, recovers: false }
}

/**
 * When a delivery whose probe failed is due: after all waiting deliveries, the last of them due at `lastDueAt`, so that
 * the next probe is another event. Closing the breaker makes all of them due.
 */
export const probeDueAt = (
  breaker: Breaker,
  { lastDueAt, now }: { readonly now: DateTime.Utc; readonly lastDueAt: DateTime.Utc | undefined }
): DateTime.Utc => {
  if (!isProbing(breaker)) return now
  const next = breaker.openUntil ?? now
  return lastDueAt === undefined ? next : DateTime.max(next, DateTime.add(lastDueAt, { milliseconds: 1 }))
}

/** Only an open breaker recovers. */
const succeeded = (breaker: Breaker, now: DateTime.Utc): Breaker =>
  isProbing(breaker) ? recovered(now) : { ...closed, ...rampOf(breaker) }

const recovered = (now: DateTime.Utc): Breaker => ({ ...closed, recoveredAt: now })

/** Whether a success would change nothing. */
export const isHealthy = ({ failures, openings }: Breaker): boolean => failures === 0 && openings === 0

/** While the breaker is open, only the probe's result prolongs the pause. */
const failed = (breaker: Breaker, options: { readonly now: DateTime.Utc; readonly probe: boolean }): Breaker => {
  const { now, probe } = options
  const failures = breaker.failures + 1
  const known = { ...breaker, failures, failingSince: breaker.failingSince ?? now }
  const opens = isProbing(breaker) ? probe : failures >= Limits.breakerFailures
  return opens ? paused({ ...known, openings: breaker.openings + 1 }, now) : known
}

const paused = (breaker: Breaker, now: DateTime.Utc): Breaker => ({
  ...breaker,
  openUntil: DateTime.addDuration(now, pause(breaker.openings))
})

/** 30 s, doubling to 15 minutes. */
const pause = (openings: number): Duration.Duration =>
  Duration.min(Duration.times(Limits.breakerPause, 2 ** Math.min(openings - 1, 10)), Limits.breakerPauseMost)

/** Whether it has failed long enough, and often enough, to be disabled. */
const isGivenUp = ({ failingSince, failures }: Breaker, now: DateTime.Utc): boolean =>
  failingSince !== undefined && failures >= Limits.failuresToDisable &&
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(failingSince, Limits.failingMost))

/** How many deliveries may be in flight. */
export const room = (breaker: Breaker, now: DateTime.Utc): number => {
  if (breaker.openings > 0) return isPaused(breaker, now) ? 0 : 1
  const since = breaker.recoveredAt === undefined
    ? Duration.infinity
    : DateTime.distance(breaker.recoveredAt, now)
  const [one, two] = rampSteps
  if (Duration.isLessThan(since, one)) return 1
  return Duration.isLessThan(since, two) ? 2 : Limits.deliveriesInFlight
}

/** Whether the endpoint gets the usual number of deliveries: its last result was a success, and there is no ramp. */
export const isAtFullRate = (breaker: Breaker, now: DateTime.Utc): boolean =>
  isHealthy(breaker) && room(breaker, now) === Limits.deliveriesInFlight

/** How many of the `wanted` deliveries may be prefetched: none unless the endpoint is healthy. */
export const ahead = (breaker: Breaker, now: DateTime.Utc, wanted: number): number =>
  isAtFullRate(breaker, now) ? wanted : 0

/** How long after a recovery one delivery is allowed at once, and how long two. */
export const rampSteps = [Limits.rampStep, Duration.times(Limits.rampStep, 2)] as const

/** Whether the next delivery is a probe, due or not: the oldest delivery without a used-up attempt, otherwise the oldest of all. */
export const isProbing = ({ openings }: Breaker): boolean => openings > 0

const isPaused = ({ openUntil }: Breaker, now: DateTime.Utc) =>
  openUntil !== undefined && DateTime.isLessThan(now, openUntil)

const rampOf = ({ recoveredAt }: Breaker) => recoveredAt === undefined ? {} : { recoveredAt }
