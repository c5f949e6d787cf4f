/** Which carriers in memory are paused, and which live workers have. */
import { DateTime } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { Database } from "./MemoryTables.ts"

export const isPaused = ({ carriers }: Database, name: CarrierName): boolean => carriers.get(name)?.pause !== undefined

export const pausedCarriers = ({ carriers }: Database): ReadonlySet<CarrierName> =>
  new Set([...carriers].flatMap(([name, { pause }]) => pause === undefined ? [] : [name]))

/** The carriers of all live workers. */
export const runningCarriers = ({ workers }: Database, now: DateTime.Utc): ReadonlySet<CarrierName> => {
  const gone = DateTime.subtractDuration(now, Limits.workerGone)
  return new Set(
    [...workers.values()].flatMap(({ carriers = [], seenAt }) => DateTime.isGreaterThan(seenAt, gone) ? carriers : [])
  )
}

/** Whether carriers are paused, and no live worker has one that is not. */
export const isDialingPaused = (db: Database, now: DateTime.Utc): boolean => {
  const { carriers } = db
  if (![...carriers.values()].some(({ pause }) => pause !== undefined)) return false
  return [...runningCarriers(db, now)].every((name) => isPaused(db, name))
}
