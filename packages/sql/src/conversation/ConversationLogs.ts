/** Seals and deletes the logs of conversations, inside the transactions of those who have locked the calls. */
import { type Call, CallLife, type Conversation, ConversationLog, type Event, type Ids } from "@outdial/core"
import { Effect } from "effect"
import { anyOf } from "../database/PlannerHints.ts"
import type { Database } from "../database/Database.ts"

export interface EntryRow {
  readonly call_id: Ids.CallId
  readonly sequence: number
  readonly entry: Conversation.Entry
}

export interface ConversationLogs extends ReturnType<typeof make> {}

export const make = ({ sql }: Database) => {
  const entriesOf = (rows: ReadonlyArray<EntryRow>, callId: Ids.CallId) =>
    rows.filter(({ call_id }) => call_id === callId).sort((a, b) => a.sequence - b.sequence).map(({ entry }) => entry)

  /** Folds the open logs of these locked calls into them. The caller saves the changes. */
  const seal = Effect.fnUntraced(function*(accountId: Ids.AccountId, calls: ReadonlyArray<Call.CallState>) {
    const open = calls.filter(({ conversation }) => conversation === "open").map(({ id }) => id)
    if (open.length === 0) return []
    // Index: primary key. Waits for a running append, whose entries the next statement reads; the next append is refused, because
    // no writer has this generation.
    yield* sql`
      update outdial_conversations as o
      set generation = ${ConversationLog.noWriter}
      where o.account_id = ${accountId}
        and o.call_id = ${anyOf(sql, open)}`
    // Index: primary key.
    const rows = yield* sql<EntryRow>`
      delete from outdial_conversation_entries as e
      where e.account_id = ${accountId}
        and e.call_id = ${anyOf(sql, open)}
      returning e.call_id, e.sequence, e.entry`
    return calls.flatMap((before): ReadonlyArray<Event.Step<Call.CallState>> => {
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
