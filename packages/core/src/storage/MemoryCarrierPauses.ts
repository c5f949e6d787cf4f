/** Which carriers in memory are paused. */
import { DateTime } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { Database } from "./MemoryTables.ts"

export const isPaused = ({ carriers }: Database, name: CarrierName): boolean => carriers.get(name)?.pause !== undefined

export const pausedCarriers = ({ carriers }: Database): ReadonlySet<CarrierName> =>
  new Set([...carriers].flatMap(([name, { pause }]) => pause === undefined ? [] : [name]))

/** Whether carriers are paused, and no live worker has one that is not. */
export const isDialingPaused = (db: Database, now: DateTime.Utc): boolean => {
  const { carriers, workers } = db
  if (![...carriers.values()].some(({ pause }) => pause !== undefined)) return false
  const gone = DateTime.subtractDuration(now, Limits.workerGone)
  return [...workers.values()].every(({ carriers: names = [], seenAt }) =>
    DateTime.isLessThanOrEqualTo(seenAt, gone) || names.every((name) => isPaused(db, name))
  )
}
