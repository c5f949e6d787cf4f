/** How soon a number may be dialed again after it was dialed last. */
import { DateTime } from "effect"

/**
 * The first instant, `at` or later, at which a number last dialed at `lastDialAt` may be dialed again. The gap is elapsed
 * time, as long on the night the clocks change, and the number is free exactly at its end.
 */
export const nextAllowed = (
  gapSeconds: number,
  lastDialAt: DateTime.Utc | undefined,
  at: DateTime.Utc
): DateTime.Utc => lastDialAt === undefined ? at : DateTime.max(at, DateTime.add(lastDialAt, { seconds: gapSeconds }))
