/** Erasing what is kept of one callee. */
import { DateTime, Effect, Option } from "effect"
import type { BatchRecord } from "../domain/Batch.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { CallId } from "../domain/Ids.ts"
import { canceled } from "../rules/call/CallLife.ts"
import { erasedCall, isErasable } from "../rules/privacy/Erasure.ts"
import type { BeginErasureResult, ErasedCallee, EventEraser, Storage } from "../engine/Storage.ts"
import { callsOf, type Database, isDue, isQueued, save, type Tables, tablesOf } from "../storage/MemoryTables.ts"

const eraseEvents = ({ erasedEvents, events }: Tables, callIds: ReadonlySet<CallId>, eraser: EventEraser): number => {
  const about = [...events.values()].filter(({ callId }) => callId !== undefined && callIds.has(callId))
  for (const event of about) {
    events.set(event.id, { ...event, body: eraser(event) })
    erasedEvents.add(event.id)
  }
  return about.length
}

const eraseFingerprints = ({ idempotency }: Tables, resourceIds: ReadonlySet<string>) => {
  for (const [name, key] of idempotency) {
    if (resourceIds.has(key.resourceId)) idempotency.set(name, { ...key, fingerprint: "" })
  }
}

const callsTo = (tables: Tables, number: CallRecord["phoneNumber"]) =>
  callsOf(tables, tables.byNumber.get(number) ?? [])

const begin = (
  tables: Tables,
  { alias, eraser, events, now, phoneNumber }: Parameters<Storage["Service"]["beginErasure"]>[0]
): BeginErasureResult => {
  const calls = callsTo(tables, phoneNumber)
  const busy = calls.find((call) => !isQueued(call) && !isErasable(call))
  if (busy !== undefined) return { _tag: "Busy", callId: busy.id }
  const waiting = calls.filter(isQueued)
  for (const call of waiting) save(tables, call, canceled(call, now), events)
  eraseEvents(tables, new Set(waiting.map(({ id }) => id)), eraser)
  tables.erasedCallees.set(alias, undefined)
  const entry = tables.doNotCall.get(phoneNumber)
  tables.doNotCall.delete(phoneNumber)
  if (entry !== undefined && !tables.doNotCall.has(alias)) {
    tables.doNotCall.set(alias, { phoneNumber: alias, source: entry.source, createdAt: entry.createdAt })
  }
  return { _tag: "Begun", canceled: waiting.length, doNotCall: tables.doNotCall.has(alias) }
}

const eraseCalls = (
  tables: Tables,
  { alias, callIds, eraser, phoneNumber }: ErasedCallee & {
    readonly callIds: ReadonlyArray<CallId>
    readonly eraser: EventEraser
  }
) => {
  const calls = callsOf(tables, callIds).filter((call) => call.phoneNumber === phoneNumber && isErasable(call))
  const ids = new Set(calls.map(({ id }) => id))
  for (const call of calls) tables.calls.set(call.id, erasedCall(call, alias))
  const others = (tables.byNumber.get(phoneNumber) ?? []).filter((id) => !ids.has(id))
  if (others.length > 0) tables.byNumber.set(phoneNumber, others)
  else tables.byNumber.delete(phoneNumber)
  tables.byNumber.set(alias, [...tables.byNumber.get(alias) ?? [], ...ids])
  eraseFingerprints(
    tables,
    new Set(calls.flatMap(({ batchId, id }): ReadonlyArray<string> => batchId === null ? [id] : [id, batchId]))
  )
  return { calls: ids.size, events: eraseEvents(tables, ids, eraser) }
}

export const methods = (db: Database) =>
  ({
    keepErasureKey: ({ accountId, key }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const kept = tables.account.erasureKey ?? key
        tables.account = { ...tables.account, erasureKey: kept }
        return kept
      }),
    listErasureKeysOtherwise: ({ after, keyIds, limit }) =>
      Effect.sync(() =>
        [...db.accounts.values()].flatMap(({ account: { erasureKey, id } }) =>
          erasureKey === undefined || keyIds.includes(erasureKey.keyId) ? [] : [{ accountId: id, key: erasureKey }]
        )
          .filter(({ accountId }) => Option.isNone(after) || accountId > after.value)
          .sort((a, b) => a.accountId < b.accountId ? -1 : 1)
          .slice(0, limit)
      ),
    replaceErasureKey: ({ accountId, by, key }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        if (tables.account.erasureKey?.ciphertext !== key.ciphertext) return false
        tables.account = { ...tables.account, erasureKey: by }
        return true
      }),

    beginErasure: (options) => Effect.sync(() => begin(tablesOf(db, options.accountId), options)),
    callsToErase: ({ accountId, limit, phoneNumber, until }) =>
      Effect.sync(() =>
        callsTo(tablesOf(db, accountId), phoneNumber)
          .filter((call) => isErasable(call) && isDue(call.createdAt, until))
          .toSorted((a, b) => DateTime.Order(a.createdAt, b.createdAt) || (a.id < b.id ? -1 : 1))
          .slice(0, limit)
          .map(({ id }) => id)
      ),
    eraseCalls: (options) => Effect.sync(() => eraseCalls(tablesOf(db, options.accountId), options)),
    eraseRejectedRows: ({ accountId, after, eraser, limit }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const page = [...tables.batches.values()]
          .filter(({ id }) => Option.isNone(after) || id > after.value)
          .sort((a, b) => a.id < b.id ? -1 : 1)
          .slice(0, limit)
        const changed = page.map((batch): BatchRecord => ({ ...batch, rejected: batch.rejected.map(eraser) }))
          .map((batch, index) => ({
            batch,
            rows: batch.rejected.filter((row, at) => row !== page[index]?.rejected[at]).length
          }))
          .filter(({ rows }) => rows > 0)
        for (const { batch } of changed) tables.batches.set(batch.id, batch)
        eraseFingerprints(tables, new Set(changed.map(({ batch }): string => batch.id)))
        return {
          rows: changed.reduce((sum, { rows }) => sum + rows, 0),
          next: page.length < limit ? Option.none() : Option.fromUndefinedOr(page.at(-1)?.id)
        }
      })
  }) satisfies Partial<Storage["Service"]>
