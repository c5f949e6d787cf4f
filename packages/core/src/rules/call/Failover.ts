/** When, and over which carrier, a call is dialed again whose carrier was unavailable. Pure. */
import { DateTime } from "effect"
import type { CallState } from "../../domain/Call.ts"
import type { CarrierName } from "../../domain/Ids.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import * as RetrySchedule from "../webhook/RetrySchedule.ts"

/**
 * The next dial: at once over the next carrier of the route, and after a pause over the first one when none is left. Paused carriers are passed
 * over. `undefined` after too many rounds.
 */
export const next = (
  { lane, unavailableCount }: Pick<CallState, "lane" | "unavailableCount">,
  now: DateTime.Utc,
  paused: ReadonlySet<CarrierName>
): Pick<CallState, "dueAt" | "lane" | "notBefore" | "unavailableCount"> | undefined => {
  const failedOver = Lane.failedOver(lane, paused)
  if (failedOver !== undefined) return { lane: failedOver, unavailableCount, dueAt: now }
  const rounds = unavailableCount + 1
  if (rounds >= Limits.unavailableAttempts) return undefined
  const notBefore = DateTime.addDuration(now, RetrySchedule.unavailableDelay(rounds))
  return { lane: Lane.fromFirst(lane, paused), unavailableCount: rounds, notBefore, dueAt: notBefore }
}
