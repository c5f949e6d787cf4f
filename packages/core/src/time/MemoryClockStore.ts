/** Corrects what was written by a clock that has been set back since. */
import { DateTime, Effect } from "effect"
import * as ClockSetBack from "../rules/time/ClockSetBack.ts"
import { type Database, put, type Tables, tablesOf } from "../storage/MemoryTables.ts"
import type { ClockStore } from "./ClockStore.ts"

const setBack = (tables: Tables, now: DateTime.Utc) => {
  const isAhead = (at: DateTime.Utc) => DateTime.isGreaterThan(at, now)
  // A dial that moves is added again with its call.
  const placed = tables.placed.filter(({ at }) => !isAhead(at))
  tables.placed.length = 0
  for (const dial of placed) tables.placed.push(dial)
  for (const call of tables.calls.values()) put(tables, call, ClockSetBack.call(call, now))
  tables.placed.sort((a, b) => DateTime.Order(a.at, b.at))
  for (const delivery of tables.deliveries.values()) {
    const { dueAt, id, state } = delivery
    const at = ClockSetBack.deliveryDueAt({ dueAt, isSending: state === "sending" }, now)
    tables.deliveries.set(id, { ...delivery, dueAt: at })
  }
  tables.breaker = ClockSetBack.breaker(tables.breaker, now)
  for (const [id, at] of tables.endedBatches) tables.endedBatches.set(id, ClockSetBack.notAfter(at, now))
  for (const [name, { second }] of tables.windows) {
    if (second * 1000 > now.epochMilliseconds) tables.windows.delete(name)
  }
  tables.closedLanes.clear()
  tables.periods = tables.account.paused ? [{ code: "account_paused", since: now }] : []
  tables.blockedUntil = undefined
}

export const make = (db: Database): ClockStore["Service"] => ({
  setBack: ({ accountId, now }) => Effect.sync(() => setBack(tablesOf(db, accountId), now))
})
