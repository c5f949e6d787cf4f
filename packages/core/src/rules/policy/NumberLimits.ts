/**
 * How often a number may be dialed in any stretch of time. A dial counts from its own instant until its window has passed,
 * and no longer: with a window of a day it is free again exactly a day later.
 */
import { DateTime } from "effect"
import type { NumberLimit } from "../../domain/Policy.ts"

/**
 * The first instant, `at` or later, at which every limit allows one more dial; `undefined` when one of them allows none
 * at all. The dials may be in any order; dials after `at` count from their own instant on.
 */
export const nextAllowed = (
  limits: ReadonlyArray<NumberLimit>,
  dials: ReadonlyArray<DateTime.Utc>,
  at: DateTime.Utc
): DateTime.Utc | undefined => {
  if (limits.some(({ max }) => max <= 0)) return undefined
  if (dials.length === 0) return at
  const instants = dials.map(({ epochMilliseconds }) => epochMilliseconds).toSorted((one, other) => one - other)
  let candidate = at.epochMilliseconds
  for (;;) {
    const next = Math.max(candidate, ...limits.map((limit) => roomAt(limit, instants, candidate)))
    if (next === candidate) return DateTime.makeUnsafe(candidate)
    candidate = next
  }
}

/** When enough of the counted dials have left the window; the instant itself when there is room. */
const roomAt = ({ max, windowSeconds }: NumberLimit, dials: ReadonlyArray<number>, at: number): number => {
  const windowMs = windowSeconds * 1000
  const counted = dials.filter((dial) => at - windowMs < dial && dial <= at)
  const leaving = counted[counted.length - max]
  return leaving === undefined ? at : leaving + windowMs
}
