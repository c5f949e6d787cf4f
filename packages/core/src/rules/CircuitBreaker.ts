/**
 * Whether an endpoint is sent to, and how much at once. Five failures in a row open its breaker; then one probe is sent
 * after each pause, which uses up no attempt, until one succeeds and the backlog goes out with a ramp. Pure.
 */
import { DateTime, Duration } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { DisabledReason } from "../domain/WebhookEndpoint.ts"

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
export type Sign = "delivered" | "failed" | "probe_failed" | "gone" | "unknown"

/** What an attempt makes of an endpoint. */
export interface Verdict {
  readonly breaker: Breaker
  /** Whether what waits is to be sent now. */
  readonly recovers: boolean
  readonly disables?: DisabledReason
}

/** The endpoint after an attempt that ended at `now`. */
export const after = (breaker: Breaker, sign: Sign, now: DateTime.Utc): Verdict => {
  if (sign === "delivered") return { breaker: succeeded(breaker, now), recovers: isProbing(breaker) }
  // The next probe waits as long as this one did, or it would be tried without end.
  if (sign === "unknown") return { breaker: isProbing(breaker) ? paused(breaker, now) : breaker, recovers: false }
  const next = failed(breaker, { now, probe: sign === "probe_failed" })
  if (sign === "gone") return { breaker: next, recovers: false, disables: "gone" }
  return { breaker: next, recovers: false, ...(isGivenUp(next, now) && { disables: "failing" }) }
}

/** Set again by its owner: closed, with a ramp only when it was not being sent to. */
export const reset = (breaker: Breaker, now: DateTime.Utc, options: { readonly wasEnabled: boolean }): Breaker =>
  options.wasEnabled ? succeeded(breaker, now) : recovered(now)

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

/** How long after a recovery there is room for one, and for two. */
export const rampSteps = [Limits.rampStep, Duration.times(Limits.rampStep, 2)] as const

/** Whether the next delivery is a probe: the oldest, due or not. */
export const isProbing = ({ openings }: Breaker): boolean => openings > 0

const isPaused = ({ openUntil }: Breaker, now: DateTime.Utc) =>
  openUntil !== undefined && DateTime.isLessThan(now, openUntil)

const rampOf = ({ recoveredAt }: Breaker) => recoveredAt === undefined ? {} : { recoveredAt }
