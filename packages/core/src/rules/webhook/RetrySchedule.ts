/**
 * When to try again: deliveries by the example schedule of Standard Webhooks, outcomes and unreachable carriers by
 * doubling. Pure: the random part is an argument.
 */
import { Duration } from "effect"

/** Delays before each attempt to deliver an event, the first attempt at once (Standard Webhooks, "Retry schedule"). */
const deliveryDelays = [
  Duration.zero,
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
] as const

/** Attempts before an event is given up. */
export const deliveryAttempts = deliveryDelays.length

/** Random spread of a delivery's delay to each side, so that the events of one outage do not return all at once. */
const jitter = 0.2

/**
 * The delay after `attempts` failed attempts; `undefined` when there is no further one. `random` lies in [0, 1). The
 * receiver's `Retry-After` is honoured between one and two times the step.
 */
export const deliveryDelay = (
  options: { readonly attempts: number; readonly random: number; readonly retryAfter?: Duration.Duration }
): Duration.Duration | undefined => {
  const step = deliveryDelays[options.attempts]
  if (step === undefined) return undefined
  const spread = Duration.times(step, 1 - jitter + 2 * jitter * options.random)
  return options.retryAfter === undefined
    ? spread
    : Duration.clamp(options.retryAfter, { minimum: spread, maximum: Duration.times(step, 2) })
}

/** Attempts before a subscriber's event is given up: doubling to an hour, they take about three days. */
export const subscriberAttempts = 84

/** The delay after a handler failed for the `attempts`th time: 1 s, doubling to an hour, or `undefined` for the last. */
export const subscriberDelay = (
  options: { readonly attempts: number; readonly random: number }
): Duration.Duration | undefined => {
  if (options.attempts >= subscriberAttempts) return undefined
  const step = Duration.min(Duration.seconds(2 ** Math.min(options.attempts - 1, 12)), Duration.hours(1))
  return Duration.times(step, 1 - jitter + 2 * jitter * options.random)
}

/** The delay after the carrier was unavailable `count` times: 2 s, doubling to 5 minutes. */
export const unavailableDelay = (count: number): Duration.Duration =>
  Duration.min(Duration.seconds(2 ** count), Duration.minutes(5))

/** The delay before making an outcome again, `sinceEnd` after the call's end: as long again, from 5 s to 2 minutes. */
export const outcomeDelay = (sinceEnd: Duration.Duration): Duration.Duration =>
  Duration.clamp(sinceEnd, { minimum: Duration.seconds(5), maximum: Duration.minutes(2) })
