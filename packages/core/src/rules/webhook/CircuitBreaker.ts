/**
 * Whether an endpoint is sent to, and how much at once. Five failures in a row open its breaker; then one probe is sent
 * after each pause, which uses up no attempt, until one succeeds and the backlog goes out with a ramp. Pure.
 */
import { DateTime, Duration } from "effect"
import type { DeliveryResult } from "../../domain/Delivery.ts"
import * as Limits from "../../domain/Limits.ts"
import type { DisabledReason } from "../../domain/WebhookEndpoint.ts"

/** What is known of an endpoint's health. */
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

/** What an attempt tells of the receiver; `unknown` when nothing was sent. */
export type HealthSignal = "delivered" | "failed" | "probe_failed" | "gone" | "unknown"

/** What an attempt makes of an endpoint. */
export interface Verdict {
  readonly breaker: Breaker
  /** Whether what waits is to be sent now. */
  readonly recovers: boolean
  readonly disables?: DisabledReason
}

/** The endpoint after an attempt that ended at `now`. */
export const after = (breaker: Breaker, signal: HealthSignal, now: DateTime.Utc): Verdict => {
  if (signal === "delivered") return { breaker: succeeded(breaker, now), recovers: isProbing(breaker) }
  // The next probe waits as long as this one did, or it would be tried without end.
  if (signal === "unknown") return { breaker: isProbing(breaker) ? paused(breaker, now) : breaker, recovers: false }
  const next = failed(breaker, { now, probe: signal === "probe_failed" })
  if (signal === "gone") return { breaker: next, recovers: false, disables: "gone" }
  return { breaker: next, recovers: false, ...(isGivenUp(next, now) && { disables: "failing" }) }
}

/** What each result tells of the receiver; nothing when it was not tried. */
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
 * The endpoint after these results, in their order. It recovers if it does with any of them. That it is gone, which its receiver has
 * said itself, goes before failing for days.
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
 * How many events must be on their way to an endpoint for it to be disabled: in a quiet week a single one may be what is
 * wrong. Of several each was the probe in its turn, and none was taken.
 */
export const openToDisable: Readonly<Record<DisabledReason, number>> = { gone: 0, failing: 2 }

/** What an owner sets of an endpoint that its breaker depends on. */
export interface Target {
  readonly url: string
  readonly enabled: boolean
}

/** What its owner's setting it makes of an endpoint. */
export interface Reset {
  readonly breaker: Breaker
  /** Whether it is another endpoint now: what was sent before tells nothing of it. */
  readonly renews: boolean
  /** Whether what waits is to be sent now. */
  readonly recovers: boolean
}

/**
 * Set by its owner: enabled again it begins anew with a ramp, and another address that was not being sent to gets a probe at
 * once. Setting it as it was says nothing of the receiver and changes nothing.
 */
export const reset = (
  breaker: Breaker,
  options: { readonly now: DateTime.Utc; readonly before: Target; readonly after: Target }
): Reset => {
  const { after, before, now } = options
  const renews = before.url !== after.url || before.enabled !== after.enabled
  if (!renews) return { breaker, renews, recovers: false }
  if (!before.enabled && after.enabled) return { breaker: recovered(now), renews, recovers: true }
  // Not closed: whether anybody answers there is not known, and attempts are not to be used up on finding out.
  if (isProbing(breaker)) return { breaker: { failures: 0, openings: 1, openUntil: now }, renews, recovers: false }
  return { breaker: { ...closed, ...rampOf(breaker) }, renews, recovers: false }
}

/**
 * When a delivery whose probe failed is due: behind all that wait, the last of them due at `lastDueAt`, so that the next
 * probe is another event. Whatever closes the breaker makes all of them due.
 */
export const probeDueAt = (
  breaker: Breaker,
  { lastDueAt, now }: { readonly now: DateTime.Utc; readonly lastDueAt: DateTime.Utc | undefined }
): DateTime.Utc => {
  if (!isProbing(breaker)) return now
  const next = breaker.openUntil ?? now
  return lastDueAt === undefined ? next : DateTime.max(next, DateTime.add(lastDueAt, { milliseconds: 1 }))
}

/** Only one that was open recovers. */
const succeeded = (breaker: Breaker, now: DateTime.Utc): Breaker =>
  isProbing(breaker) ? recovered(now) : { ...closed, ...rampOf(breaker) }

const recovered = (now: DateTime.Utc): Breaker => ({ ...closed, recoveredAt: now })

/** Whether a success would leave it as it is. */
export const isHealthy = ({ failures, openings }: Breaker): boolean => failures === 0 && openings === 0

/** Of what comes back while it is open only the probe opens it for longer. */
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

/** Whether it has failed for so long, and so often, that it is to be disabled. */
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

/** Whether nothing speaks against sending to it: its last answer was a success, and it is not just coming back. */
export const isAtFullRate = (breaker: Breaker, now: DateTime.Utc): boolean =>
  isHealthy(breaker) && room(breaker, now) === Limits.deliveriesInFlight

/** How many of the `wanted` deliveries may be claimed ahead of those in flight: none while it is in doubt. */
export const ahead = (breaker: Breaker, now: DateTime.Utc, wanted: number): number =>
  isAtFullRate(breaker, now) ? wanted : 0

/** How long after a recovery there is room for one, and for two. */
export const rampSteps = [Limits.rampStep, Duration.times(Limits.rampStep, 2)] as const

/** Whether the next delivery is a probe, due or not: the oldest of those that have used up no attempt, or else of all. */
export const isProbing = ({ openings }: Breaker): boolean => openings > 0

const isPaused = ({ openUntil }: Breaker, now: DateTime.Utc) =>
  openUntil !== undefined && DateTime.isLessThan(now, openUntil)

const rampOf = ({ recoveredAt }: Breaker) => recoveredAt === undefined ? {} : { recoveredAt }
