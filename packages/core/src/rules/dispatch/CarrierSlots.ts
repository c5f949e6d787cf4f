/**
 * The slots of a carrier's calls per second: one dial each, spread evenly over the second, so that no call waits in a queue of the
 * carrier. Pure, so that every storage counts alike.
 */
import { DateTime, Duration } from "effect"
import * as Limits from "../../domain/Limits.ts"

/** The slots that were taken last. */
export interface TakenSlots {
  readonly at: DateTime.Utc
  /** How many are in use; 0 when all were returned. */
  readonly count: number
}

/** How many slots are taken at once, at most: as many as the carrier has in a tenth of a second, and at least one. */
export const most = (callsPerSecond: number): number => Math.max(1, Math.floor(callsPerSecond / 10))

/** How long so many slots last, in whole milliseconds. */
export const span = (count: number, callsPerSecond: number): Duration.Duration =>
  Duration.millis(Math.ceil(count * 1000 / callsPerSecond))

/**
 * From when on slots can be taken. What was taken after `now` by more than clocks differ was taken before the clock was set back, and
 * holds nothing up.
 */
export const freeAt = (last: TakenSlots | undefined, callsPerSecond: number, now: DateTime.Utc): DateTime.Utc => {
  if (last === undefined || DateTime.isGreaterThan(last.at, DateTime.addDuration(now, Limits.clockUncertainty))) {
    return now
  }
  return DateTime.addDuration(last.at, span(last.count, callsPerSecond))
}
