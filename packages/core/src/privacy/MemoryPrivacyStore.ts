/** Retention and erasure in memory. */
import { DateTime, Effect, Option } from "effect"
import type { BatchRecord } from "../domain/Batch.ts"
import type { CallRecord } from "../domain/Call.ts"
import { BatchId, CallId } from "../domain/Ids.ts"
import { canceled } from "../rules/call/CallLife.ts"
import { erasedCall, isErasable } from "../rules/privacy/Erasure.ts"
import {
  callsOf,
  type Database,
  hasTranscript,
  isDue,
  isQueued,
  save,
  type Tables,
  tablesOf
} from "../storage/MemoryTables.ts"
import type { BeginErasureResult, ErasedCallee, EventEraser } from "./PrivacyStore.ts"
import { withoutTranscript } from "../rules/privacy/Retention.ts"
import type { PrivacyStore } from "./PrivacyStore.ts"
import type { PruneOptions } from "../storage/WorkStore.ts"

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
  { alias, eraser, events, now, phoneNumber }: Parameters<PrivacyStore["Service"]["beginErasure"]>[0]
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
  for (const call of calls) {
    if (call.hasRecording) tables.unwantedRecordings.add(call.id)
    tables.calls.set(call.id, erasedCall(call, alias))
    tables.conversations.delete(call.id)
  }
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

const oldestFirst = (calls: ReadonlyArray<CallRecord>): ReadonlyArray<CallRecord> =>
  calls.toSorted((a, b) => DateTime.Order(a.createdAt, b.createdAt) || (a.id < b.id ? -1 : 1))

const oldestErasable = ({ calls }: Tables, { before, limit }: PruneOptions, isMeant: (call: CallRecord) => boolean) =>
  oldestFirst([...calls.values()].filter((call) => isDue(call.createdAt, before) && isErasable(call) && isMeant(call)))
    .slice(0, limit)
    .map(({ id }) => id)

/** Whether all calls of a key's request have ended. */
const isOver = ({ calls }: Tables, route: string, resourceId: string): boolean =>
  [...calls.values()].every((call) =>
    isErasable(call) ||
    (route === "calls" ? call.id !== CallId.make(resourceId) : call.batchId !== BatchId.make(resourceId))
  )

const remove = (tables: Tables, id: CallId) => {
  const call = tables.calls.get(id)
  if (call === undefined || !isErasable(call)) return false
  if (call.hasRecording) tables.unwantedRecordings.add(id)
  tables.calls.delete(id)
  tables.conversations.delete(id)
  const others = (tables.byNumber.get(call.phoneNumber) ?? []).filter((other) => other !== id)
  if (others.length > 0) tables.byNumber.set(call.phoneNumber, others)
  else tables.byNumber.delete(call.phoneNumber)
  return true
}

export const make = (db: Database): PrivacyStore["Service"] => ({
  pruneIdempotencyKeys: ({ accountId, before, limit }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const keys = [...tables.idempotency].filter(([name, { createdAt, resourceId }]) =>
        isDue(createdAt, before) && isOver(tables, name.split(" ")[0] ?? "", resourceId)
      ).slice(0, limit)
      for (const [name] of keys) tables.idempotency.delete(name)
      return keys.length
    }),
  pruneRequestWindows: ({ accountId, before, limit }) =>
    Effect.sync(() => {
      const { windows } = tablesOf(db, accountId)
      const last = Math.floor(before.epochMilliseconds / 1000)
      const unused = [...windows].filter(([, { second }]) => second <= last).slice(0, limit)
      for (const [name] of unused) windows.delete(name)
      return unused.length
    }),
  unwantedRecordings: ({ accountId, limit }) =>
    Effect.sync(() => [...tablesOf(db, accountId).unwantedRecordings].sort().slice(0, limit)),
  forgetRecordings: ({ accountId, callIds }) =>
    Effect.sync(() => {
      const { unwantedRecordings } = tablesOf(db, accountId)
      for (const id of callIds) unwantedRecordings.delete(id)
    }),
  oldCalls: (options) =>
    Effect.sync(() => {
      const tables = tablesOf(db, options.accountId)
      const { foldedUntil } = tables
      return oldestErasable(
        tables,
        options,
        ({ dialedAt }) =>
          dialedAt === undefined || (foldedUntil !== undefined && DateTime.isLessThan(dialedAt, foldedUntil))
      )
    }),
  deleteCalls: ({ accountId, before, callIds }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const deleted = callIds.filter((id) => remove(tables, id)).length
      const inUse = new Set([...tables.calls.values()].map(({ batchId }) => batchId))
      for (const { createdAt, id } of tables.batches.values()) {
        if (isDue(createdAt, before) && !inUse.has(id)) tables.batches.delete(id)
      }
      return deleted
    }),
  oldTranscripts: (options) =>
    Effect.sync(() => {
      const tables = tablesOf(db, options.accountId)
      return oldestErasable(tables, options, (call) => hasTranscript(tables, call))
    }),
  deleteTranscripts: ({ accountId, callIds }) =>
    Effect.sync(() => {
      const { calls, conversations, unwantedRecordings } = tablesOf(db, accountId)
      const after = callIds.flatMap((id) => {
        const call = calls.get(id)
        const without = call && withoutTranscript(call)
        return without === undefined ? [] : [without]
      })
      for (const call of after) {
        if (calls.get(call.id)?.hasRecording === true) unwantedRecordings.add(call.id)
        calls.set(call.id, call)
        conversations.delete(call.id)
      }
      return after.length
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
})
