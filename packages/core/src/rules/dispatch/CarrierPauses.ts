/** The pauses of carriers. Pure, so that every storage decides alike. */
import { DateTime, type Duration } from "effect"
import type { CarrierPause } from "../../domain/Carrier.ts"
import * as Limits from "../../domain/Limits.ts"

/** The pause after another one was asked for; `undefined` when it stays as it is. */
export const paused = (before: CarrierPause | undefined, asked: CarrierPause): CarrierPause | undefined => {
  if (before !== undefined && (before.by === "operator" || asked.by === "fault")) return undefined
  return asked.by === "fault" ? { ...asked, checkedAt: asked.at } : asked
}

/** When the carrier is to be checked next; `undefined` when it is not, because an operator has paused it. */
export const checkAt = ({ at, by, checkedAt = at }: CarrierPause, every: Duration.Duration): DateTime.Utc | undefined =>
  by === "operator" ? undefined : DateTime.addDuration(checkedAt, every)

/** Whether the carrier is to be checked now. A check in the future is from before the clock was set back. */
export const isCheckDue = (pause: CarrierPause, every: Duration.Duration, now: DateTime.Utc): boolean => {
  const { at, checkedAt = at } = pause
  const next = checkAt(pause, every)
  return next !== undefined && (DateTime.isLessThanOrEqualTo(next, now) ||
    DateTime.isGreaterThan(checkedAt, DateTime.addDuration(now, Limits.clockUncertainty)))
}
