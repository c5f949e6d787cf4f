/** The logs of conversations in memory. */
import type { DateTime } from "effect"
import { Effect, Option } from "effect"
import { type CallRecord, isFinal } from "../domain/Call.ts"
import type { Entry } from "../domain/Conversation.ts"
import type { EventWriter } from "../domain/Event.ts"
import type { CallId } from "../domain/Ids.ts"
import * as CallLife from "../rules/call/CallLife.ts"
import * as ConversationLog from "../rules/conversation/ConversationLog.ts"
import {
  callsOf,
  claimed,
  type Database,
  isDue,
  put,
  reconsider,
  save,
  type Tables,
  tablesOf
} from "../storage/MemoryTables.ts"
import type { Acquired, AcquireOptions, AppendOptions, ConversationStore, LoggedEntry } from "./ConversationStore.ts"

/** Seals the log of the call and returns the call with it; `undefined` when the call has no open log. */
export const seal = ({ conversations }: Tables, call: CallRecord): CallRecord | undefined => {
  const log = conversations.get(call.id)
  const after = CallLife.sealed(call, log?.entries ?? [])
  if (after !== undefined && log !== undefined) {
    conversations.set(call.id, { ...log, generation: ConversationLog.noWriter, entries: [] })
  }
  return after
}

const end = (
  tables: Tables,
  call: CallRecord,
  { events, now }: { readonly events: EventWriter; readonly now: DateTime.Utc }
): boolean => {
  const after = seal(tables, call)
  if (after === undefined) return false
  save(tables, call, after, events)
  if (!isFinal(call.status) && isFinal(after.status)) reconsider(tables, after.phoneNumber, now)
  return true
}

const acquire = (tables: Tables, { callId, ...options }: AcquireOptions): Option.Option<Acquired> => {
  const before = tables.calls.get(callId)
  const call = before && ConversationLog.opened(before)
  const log = tables.conversations.get(callId)
  const tenure = ConversationLog.acquired(log, options)
  if (before === undefined || call === undefined || tenure === undefined) return Option.none()
  const entries = log?.entries ?? []
  put(tables, before, call)
  tables.conversations.set(callId, { ...tenure, entries })
  return Option.some({ ...claimed(tables, call), generation: tenure.generation, entries: numbered(entries) })
}

const append = (tables: Tables, { callId, entries, generation }: AppendOptions, now: DateTime.Utc): boolean => {
  const log = tables.conversations.get(callId)
  const call = tables.calls.get(callId)
  if (call === undefined || log?.generation !== generation) return false
  tables.conversations.set(callId, {
    generation,
    leaseUntil: ConversationLog.lease(now),
    entries: [...log.entries, ...entries]
  })
  const after = CallLife.logged(call, entries, now)
  if (after !== undefined) put(tables, call, after)
  return true
}

const numbered = (entries: ReadonlyArray<Entry>): ReadonlyArray<LoggedEntry> =>
  entries.map((entry, index) => ({ sequence: index + 1, entry }))

const pageOf = (tables: Tables | undefined, callId: CallId, after: number, limit: number): ReadonlyArray<LoggedEntry> =>
  numbered(tables?.conversations.get(callId)?.entries ?? []).slice(after, after + limit)

export const make = (db: Database): ConversationStore["Service"] => ({
  acquire: (options) =>
    Effect.sync(() => {
      const tables = db.accounts.get(options.accountId)
      return tables === undefined ? Option.none() : acquire(tables, options)
    }),
  append: ({ logs, now }) =>
    Effect.sync(() =>
      logs.map((log) => {
        const tables = db.accounts.get(log.accountId)
        return tables !== undefined && append(tables, log, now)
      })
    ),
  seal: ({ accountId, callId, generation, ...options }) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      const call = tables?.calls.get(callId)
      if (tables === undefined || call === undefined) return false
      return tables.conversations.get(callId)?.generation === generation && end(tables, call, options)
    }),
  settleEnds: ({ accountId, limit, ...options }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const due = callsOf(tables, tables.live).filter(({ claim, lineEnd }) =>
        lineEnd !== undefined && isDue(claim?.leaseUntil, options.now)
      )
      return due.slice(0, limit).filter((call) => end(tables, call, options)).length
    }),
  holding: ({ accountId, callId, now }) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      const call = tables?.calls.get(callId)
      return call === undefined ? "none" : ConversationLog.holdingOf(call, tables?.conversations.get(callId), now)
    }),
  machines: (calls) =>
    Effect.sync(() => calls.map(({ accountId, callId }) => db.accounts.get(accountId)?.calls.get(callId)?.machine)),
  readMany: ({ limit, logs }) =>
    Effect.sync(() =>
      logs.map(({ accountId, after, callId }) => {
        const tables = db.accounts.get(accountId)
        const call = tables?.calls.get(callId)
        return {
          entries: pageOf(tables, callId, after, limit),
          isFinal: call === undefined || ConversationLog.isFinal(call)
        }
      })
    ),
  read: ({ accountId, after, callId, limit }) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      return {
        entries: pageOf(tables, callId, after, limit),
        isSealed: tables?.calls.get(callId)?.conversation === "sealed"
      }
    })
})
