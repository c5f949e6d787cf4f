/** When, and over which carrier, a call is dialed again whose carrier was unavailable. Pure. */
import { DateTime } from "effect"
import type { CallState } from "../../domain/Call.ts"
import type { CarrierName } from "../../domain/Ids.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import * as RetrySchedule from "../webhook/RetrySchedule.ts"

/** The next dial: at once over the next carrier of the lane, and after a pause once all were tried. `undefined` after too many attempts. */
export const next = (
  { lane: before, unavailableCount: count }: Pick<CallState, "lane" | "unavailableCount">,
  now: DateTime.Utc,
  paused: ReadonlySet<CarrierName>
): Pick<CallState, "dueAt" | "lane" | "notBefore"> | undefined => {
  const carriers = Math.max(1, Lane.carriersOf(before).length)
  const rounds = Math.floor(count / carriers)
  if (rounds >= Limits.unavailableAttempts) return undefined
  const lane = Lane.overNext(before, paused)
  if (lane !== before && count % carriers !== 0) return { lane, dueAt: now }
  const notBefore = DateTime.addDuration(now, RetrySchedule.unavailableDelay(Math.max(1, rounds)))
  return { lane, notBefore, dueAt: notBefore }
}
