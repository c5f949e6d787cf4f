/** Seals and deletes the logs of conversations, inside the transactions of those who have locked the calls. */
import { type Call, CallLife, ConversationLog, type Event, type Ids } from "@outdial/core"
import { Effect } from "effect"
import { anyOf } from "../database/PlannerHints.ts"
import type { Database } from "../database/Database.ts"
import * as EntryRows from "./EntryRows.ts"

export interface ConversationLogs extends ReturnType<typeof make> {}

export const make = ({ sql }: Database) => {
  const entriesOf = (rows: ReadonlyArray<EntryRows.EntryRow>, callId: Ids.CallId) =>
    EntryRows.entriesOf(rows.filter(({ call_id }) => call_id === callId).sort((a, b) => a.chunk - b.chunk))
      .map(({ entry }) => entry)

  /**
   * Folds the open logs of these locked calls into them, or only those whose writer has this generation. The caller saves the changes.
   */
  const seal = Effect.fnUntraced(function*(
    accountId: Ids.AccountId,
    calls: ReadonlyArray<Call.CallState>,
    generation?: number
  ) {
    const open = calls.filter(({ conversation }) => conversation === "open").map(({ id }) => id)
    if (open.length === 0) return []
    // Index: primary key. Waits for a running append, whose entries the next statement reads; the next append is refused, because
    // no writer has this generation.
    const sealed = yield* sql<Pick<EntryRows.EntryRow, "call_id">>`
      update outdial_conversations as o
      set generation = ${ConversationLog.noWriter}
      where o.account_id = ${accountId}
        and o.call_id = ${anyOf(sql, open)}
        and o.generation = coalesce(${generation ?? null}::int, o.generation)
      returning o.call_id`
    const ids = new Set(sealed.map(({ call_id }) => call_id))
    if (ids.size === 0) return []
    // Index: primary key.
    const rows = yield* sql<EntryRows.EntryRow>`
      delete from outdial_conversation_entries as e
      where e.account_id = ${accountId}
        and e.call_id = ${anyOf(sql, [...ids])}
      returning e.call_id, e.chunk, e.entries`
    return calls.filter(({ id }) => ids.has(id)).flatMap((before): ReadonlyArray<Event.Step<Call.CallState>> => {
      const after = CallLife.sealed(before, entriesOf(rows, before.id))
      return after === undefined ? [] : [{ before, after }]
    })
  })

  /** Deletes what is left of the conversations of these locked calls. */
  const remove = Effect.fnUntraced(function*(accountId: Ids.AccountId, calls: ReadonlyArray<Call.CallState>) {
    const ids = calls.filter(({ conversation }) => conversation !== undefined).map(({ id }) => id)
    if (ids.length === 0) return
    // Index: primary keys.
    yield* sql`
      with entries as (
        delete from outdial_conversation_entries as e
        where e.account_id = ${accountId}
          and e.call_id = ${anyOf(sql, ids)}
      )
      delete from outdial_conversations as o
      where o.account_id = ${accountId}
        and o.call_id = ${anyOf(sql, ids)}`
  })

  return { seal, remove }
}
