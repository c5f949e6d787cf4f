/** Usage by day. */
import { DateTime, Effect, Option } from "effect"
import { type CallRecord, talkedSeconds } from "../domain/Call.ts"
import * as Cost from "../domain/Cost.ts"
import type { DayUsage } from "../domain/Usage.ts"
import { type Database, type Tables, tablesOf } from "../storage/MemoryTables.ts"
import type { UsageStore } from "./UsageStore.ts"

/** Calls dialed in the stretch that are not folded. */
const unfolded = (
  { calls, foldedUntil }: Tables,
  { from, until }: { readonly from?: DateTime.Utc; readonly until?: DateTime.Utc }
): ReadonlyArray<CallRecord & { readonly dialedAt: DateTime.Utc }> =>
  [...calls.values()].flatMap((call) => {
    const { dialedAt } = call
    const isMeant = dialedAt !== undefined &&
      (foldedUntil === undefined || DateTime.isGreaterThanOrEqualTo(dialedAt, foldedUntil)) &&
      (from === undefined || DateTime.isGreaterThanOrEqualTo(dialedAt, from)) &&
      (until === undefined || DateTime.isLessThan(dialedAt, until))
    return isMeant ? [{ ...call, dialedAt }] : []
  })

const added = (day: string, kept: DayUsage | undefined, calls: ReadonlyArray<CallRecord>): DayUsage => ({
  day,
  callsPlaced: (kept?.callsPlaced ?? 0) + calls.length,
  secondsTalked: calls.reduce((sum, call) => sum + talkedSeconds(call), kept?.secondsTalked ?? 0),
  costs: Cost.summed([...kept?.costs ?? [], ...calls.flatMap(({ cost }) => cost === undefined ? [] : [cost])])
})

export const make = (db: Database): UsageStore["Service"] => ({
  read: ({ accountId, days }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      return days.map((day) => added(day.day, tables.usage.get(day.day), unfolded(tables, day)))
    }),
  oldestUnfolded: (accountId) =>
    Effect.sync(() => {
      const times = unfolded(tablesOf(db, accountId), {}).map(({ dialedAt }) => dialedAt)
      return Option.fromUndefinedOr(times.sort(DateTime.Order)[0])
    }),
  fold: ({ accountId, day: { day, until } }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const calls = unfolded(tables, { until })
      if (calls.length > 0) tables.usage.set(day, added(day, tables.usage.get(day), calls))
      tables.foldedUntil = tables.foldedUntil === undefined ? until : DateTime.max(tables.foldedUntil, until)
    })
})
