/** Whether what one limit of dials to a number allows, another allows too, so that the other adds nothing. */
import type { NumberLimit } from "../domain/Policy.ts"

/** Whether whoever keeps `limit` keeps `other` too. */
export const implies = (limit: NumberLimit, other: NumberLimit): boolean =>
  // The longer window is covered by so many of the shorter one.
  limit.max * Math.ceil(other.windowSeconds / limit.windowSeconds) <= other.max

/** A gap as the limit that it comes to: one dial in as long as it lasts. Without a gap there is none. */
export const ofGap = (recallGapSeconds: number): ReadonlyArray<NumberLimit> =>
  recallGapSeconds > 0 ? [{ max: 1, windowSeconds: recallGapSeconds }] : []
