/** Whether one limit of dials to a number implies another, so that the other is redundant. */
import type { NumberLimit } from "../domain/Policy.ts"

/** Whether calls within `limit` are always within `other`. */
export const implies = (limit: NumberLimit, other: NumberLimit): boolean =>
  // The longer window is covered by this many of the shorter one.
  limit.max * Math.ceil(other.windowSeconds / limit.windowSeconds) <= other.max

/** A gap as the equivalent limit: one dial in the length of the gap. `undefined` without a gap. */
export const ofGap = (recallGapSeconds: number): ReadonlyArray<NumberLimit> =>
  recallGapSeconds > 0 ? [{ max: 1, windowSeconds: recallGapSeconds }] : []
