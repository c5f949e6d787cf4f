/** What goes when it is old. */
import { DateTime, Effect } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import { BatchId, CallId } from "../domain/Ids.ts"
import { isErasable } from "../rules/privacy/Erasure.ts"
import { withoutWords } from "../rules/privacy/Retention.ts"
import type { PruneOptions, Storage } from "../engine/Storage.ts"
import { type Database, hasWords, isDue, type Tables, tablesOf } from "../storage/MemoryTables.ts"

const oldestFirst = (calls: ReadonlyArray<CallRecord>): ReadonlyArray<CallRecord> =>
  calls.toSorted((a, b) => DateTime.Order(a.createdAt, b.createdAt) || (a.id < b.id ? -1 : 1))

const old = ({ calls }: Tables, { before, limit }: PruneOptions, isMeant: (call: CallRecord) => boolean) =>
  oldestFirst([...calls.values()].filter((call) => isDue(call.createdAt, before) && isErasable(call) && isMeant(call)))
    .slice(0, limit)
    .map(({ id }) => id)

/** Whether everything that a key made has ended. */
const isOver = ({ calls }: Tables, route: string, resourceId: string): boolean =>
  [...calls.values()].every((call) =>
    isErasable(call) ||
    (route === "calls" ? call.id !== CallId.make(resourceId) : call.batchId !== BatchId.make(resourceId))
  )

const forget = (tables: Tables, id: CallId) => {
  const call = tables.calls.get(id)
  if (call === undefined || !isErasable(call)) return false
  tables.calls.delete(id)
  const others = (tables.byNumber.get(call.phoneNumber) ?? []).filter((other) => other !== id)
  if (others.length > 0) tables.byNumber.set(call.phoneNumber, others)
  else tables.byNumber.delete(call.phoneNumber)
  return true
}

export const methods = (db: Database) =>
  ({
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
    oldCalls: (options) =>
      Effect.sync(() => {
        const tables = tablesOf(db, options.accountId)
        const { foldedUntil } = tables
        return old(
          tables,
          options,
          ({ dialedAt }) =>
            dialedAt === undefined || (foldedUntil !== undefined && DateTime.isLessThan(dialedAt, foldedUntil))
        )
      }),
    deleteCalls: ({ accountId, before, callIds }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const deleted = callIds.filter((id) => forget(tables, id)).length
        const inUse = new Set([...tables.calls.values()].map(({ batchId }) => batchId))
        for (const { createdAt, id } of tables.batches.values()) {
          if (isDue(createdAt, before) && !inUse.has(id)) tables.batches.delete(id)
        }
        return deleted
      }),
    oldTranscripts: (options) => Effect.sync(() => old(tablesOf(db, options.accountId), options, hasWords)),
    forgetTranscripts: ({ accountId, callIds }) =>
      Effect.sync(() => {
        const { calls } = tablesOf(db, accountId)
        const after = callIds.flatMap((id) => {
          const call = calls.get(id)
          const without = call && withoutWords(call)
          return without === undefined ? [] : [without]
        })
        for (const call of after) calls.set(call.id, call)
        return after.length
      })
  }) satisfies Partial<Storage["Service"]>
