/** Reads logs of conversations, of any number of calls and accounts in one statement. */
import { type Conversation, ConversationLog, type Storage } from "@outdial/core"
import { Effect } from "effect"
import type * as CallRows from "../call/CallRows.ts"
import type { Database } from "../database/Database.ts"
import type { EntryRow } from "./ConversationLogs.ts"

type ReadLogs = Pick<Storage.ConversationStore["Service"], "read" | "readMany">
type Logs = Parameters<ReadLogs["readMany"]>[0]["logs"]

type ReadRow =
  & Pick<CallRows.StateRow, "conversation" | "status">
  /** The place of the log in the request, from 1. */
  & { readonly log: number }
  & (EntryRow | { readonly call_id: null; readonly sequence: null; readonly entry: null })

export const make = ({ sql, statement }: Database): ReadLogs => {
  const read = (logs: Logs, limit: number) =>
    // Index: primary keys, that of the entries in its order. One snapshot: a log that was not sealed has all its entries.
    statement(sql<ReadRow>`
      select r.log::int as log, c.conversation, c.status, e.call_id, e.sequence, e.entry
      from unnest(
        ${logs.map(({ accountId }) => accountId)}::text[], ${logs.map(({ callId }) => callId)}::text[], ${
      logs.map(({ after }) => after)
    }::int[]
      ) with ordinality as r (account_id, call_id, after, log)
      join outdial_calls as c on c.account_id = r.account_id and c.id = r.call_id
      left join lateral (
        select e.call_id, e.sequence, e.entry
        from outdial_conversation_entries as e
        where e.account_id = r.account_id
          and e.call_id = r.call_id
          and e.sequence > r.after
        order by e.sequence
        limit ${limit}
      ) as e on true
      order by r.log, e.sequence`)

  return {
    readMany: Effect.fn("ConversationStore.readMany")(({ limit, logs }) =>
      Effect.map(read(logs, limit), (rows) => {
        const rowsOfLog = Map.groupBy(rows, ({ log }) => log)
        return logs.map((_, index): Storage.LogPage => {
          const found = rowsOfLog.get(index + 1) ?? []
          const [call] = found
          return { entries: toEntries(found), isFinal: call === undefined || isFinal(call) }
        })
      })
    ),
    read: Effect.fn("ConversationStore.read")(({ limit, ...log }) =>
      Effect.map(read([log], limit), (rows) => ({
        entries: toEntries(rows),
        isSealed: rows[0]?.conversation === "sealed"
      }))
    )
  }
}

const toEntries = (rows: ReadonlyArray<ReadRow>): ReadonlyArray<Storage.LoggedEntry> =>
  rows.flatMap((row) => row.sequence === null ? [] : [toEntry(row)])

const isFinal = ({ conversation, status }: ReadRow): boolean =>
  ConversationLog.isFinal({ status, ...(conversation !== null && { conversation }) })

export const toEntry = (
  { entry, sequence }: { readonly sequence: number; readonly entry: Conversation.Entry }
): Storage.LoggedEntry => ({ sequence, entry })
