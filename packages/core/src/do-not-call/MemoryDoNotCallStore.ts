/** The do-not-call list in memory. */
import { type DateTime, Effect, Option } from "effect"
import { isErased, type PhoneNumber } from "../domain/PhoneNumber.ts"
import * as Page from "../domain/Page.ts"
import * as CallLife from "../rules/call/CallLife.ts"
import * as HoldHistory from "../rules/call/HoldHistory.ts"
import { callsOf, type Database, save, sharedPeriods, tablesOf } from "../storage/MemoryTables.ts"
import type { AddDoNotCallOptions, DoNotCallAdded, DoNotCallStore } from "./DoNotCallStore.ts"

export const addDoNotCall = (
  db: Database,
  { accountId, entries, events, now }: AddDoNotCallOptions
): DoNotCallAdded => {
  const tables = tablesOf(db, accountId)
  const known = tables.doNotCall.size
  for (const entry of entries) {
    if (!tables.doNotCall.has(entry.phoneNumber)) tables.doNotCall.set(entry.phoneNumber, entry)
  }
  const waiting = callsOf(
    tables,
    entries.flatMap(({ phoneNumber }) => {
      const id = tables.waiting.get(phoneNumber)
      return id === undefined ? [] : [id]
    })
  )
  const shared = sharedPeriods(db, tables)
  for (const call of new Set(waiting)) {
    save(tables, call, CallLife.canceled(HoldHistory.withShared(call, shared, now), now, "do_not_call"), events)
  }
  tables.account = { ...tables.account, epoch: tables.account.epoch + 1 }
  return { added: tables.doNotCall.size - known, canceled: new Set(waiting).size }
}

const position = <A extends { readonly phoneNumber: PhoneNumber; readonly createdAt: DateTime.Utc }>(entry: A) => ({
  id: entry.phoneNumber,
  createdAt: entry.createdAt,
  entry
})

export const make = (db: Database): DoNotCallStore["Service"] => ({
  add: (options) => Effect.sync(() => addDoNotCall(db, options)),
  remove: (accountId, number) => Effect.sync(() => tablesOf(db, accountId).doNotCall.delete(number)),
  get: (accountId, number) =>
    Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(accountId)?.doNotCall.get(number))),
  list: ({ accountId, page }) =>
    Effect.sync(() => {
      const entries = [...tablesOf(db, accountId).doNotCall.values()].filter((entry) => !isErased(entry.phoneNumber))
      const all = entries.map(position).sort(Page.compare)
      const { hasMore, items } = Page.cut(all, page)
      return { hasMore, items: items.map(({ entry }) => entry) }
    })
})
