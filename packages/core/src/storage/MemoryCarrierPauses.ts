/** Which carriers in memory are paused. */
import { DateTime } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { Database } from "./MemoryTables.ts"

/** Whether all of these carriers are paused; none are not. */
export const areAllPaused = ({ carriers }: Database, asked: ReadonlyArray<CarrierName>): boolean =>
  asked.length > 0 && asked.every((name) => carriers.get(name)?.pause !== undefined)

/** Whether carriers are paused, and no live worker has one that is not. */
export const isDialingPaused = ({ carriers, workers }: Database, now: DateTime.Utc): boolean => {
  if (![...carriers.values()].some(({ pause }) => pause !== undefined)) return false
  const gone = DateTime.subtractDuration(now, Limits.workerGone)
  return [...workers.values()].every(({ carriers: names = [], seenAt }) =>
    DateTime.isLessThanOrEqualTo(seenAt, gone) || names.every((name) => carriers.get(name)?.pause !== undefined)
  )
}
