/** Reads logs of conversations, of any number of calls and accounts in one statement. */
import { ConversationLog, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type * as CallRows from "../call/CallRows.ts"
import type { Database } from "../database/Database.ts"
import * as EntryRows from "./EntryRows.ts"

type ReadLogs = Pick<Storage.ConversationStore["Service"], "holding" | "machines" | "read" | "readMany">
type Logs = Parameters<ReadLogs["readMany"]>[0]["logs"]

type ReadRow =
  & Pick<CallRows.StateRow, "conversation" | "status">
  /** The place of the log in the request, from 1. */
  & { readonly log: number }
  & (
    | Pick<EntryRows.EntryRow, "chunk" | "entries">
    | { readonly chunk: null; readonly entries: null }
  )

type HoldingRow =
  & Pick<CallRows.StateRow, "conversation" | "line_ended_at" | "status">
  & { readonly lease_until: Date | null }

const holdingOf = (
  { conversation, lease_until, line_ended_at, status }: HoldingRow,
  now: DateTime.Utc
): ConversationLog.Holding =>
  ConversationLog.holdingOf(
    {
      status,
      ...(conversation !== null && { conversation }),
      ...(line_ended_at !== null && { lineEnd: { at: DateTime.fromDateUnsafe(line_ended_at) } })
    },
    lease_until === null ? undefined : { leaseUntil: DateTime.fromDateUnsafe(lease_until) },
    now
  )

export const make = ({ sql, statement }: Database): ReadLogs => {
  const read = (logs: Logs, limit: number) =>
    // Index: primary keys, that of the entries in its order. One snapshot: a log that was not sealed has all its entries.
    statement(sql<ReadRow>`
      select r.log::int as log, c.conversation, c.status, e.chunk, e.entries
      from unnest(
        ${logs.map(({ accountId }) => accountId)}::text[], ${logs.map(({ callId }) => callId)}::text[], ${
      logs.map(({ after }) => after)
    }::int[]
      ) with ordinality as r (account_id, call_id, after, log)
      join outdial_calls as c on c.account_id = r.account_id and c.id = r.call_id
      left join lateral (
        select e.chunk, e.entries
        from outdial_conversation_entries as e
        where e.account_id = r.account_id
          and e.call_id = r.call_id
          and e.chunk >= r.after / ${EntryRows.size}::int
        order by e.chunk
        limit ${Math.ceil(limit / EntryRows.size) + 1}
      ) as e on true
      order by r.log, e.chunk`)

  return {
    holding: Effect.fn("ConversationStore.holding")(({ accountId, callId, now }) =>
      Effect.map(
        // Index: primary keys.
        statement(sql<HoldingRow>`
          select c.status, c.conversation, c.line_ended_at, o.lease_until
          from outdial_calls as c
          left join outdial_conversations as o on o.account_id = c.account_id and o.call_id = c.id
          where c.account_id = ${accountId}
            and c.id = ${callId}`),
        ([row]) => row === undefined ? "none" : holdingOf(row, now)
      )
    ),
    machines: Effect.fn("ConversationStore.machines")((calls) =>
      Effect.map(
        // Index: primary key.
        statement(sql<Pick<CallRows.StateRow, "account_id" | "id" | "machine">>`
          select c.account_id, c.id, c.machine
          from unnest(
            ${calls.map(({ accountId }) => accountId)}::text[], ${calls.map(({ callId }) => callId)}::text[]
          ) as r (account_id, call_id)
          join outdial_calls as c on c.account_id = r.account_id and c.id = r.call_id
          where c.machine is not null`),
        (rows) =>
          calls.map(({ accountId, callId }) =>
            rows.find(({ account_id, id }) => account_id === accountId && id === callId)?.machine ?? undefined
          )
      )
    ),
    readMany: Effect.fn("ConversationStore.readMany")(({ limit, logs }) =>
      Effect.map(read(logs, limit), (rows) => {
        const rowsOfLog = Map.groupBy(rows, ({ log }) => log)
        return logs.map(({ after }, index): Storage.LogPage => {
          const found = rowsOfLog.get(index + 1) ?? []
          const [call] = found
          return { entries: pageOf(found, after, limit), isFinal: call === undefined || isFinal(call) }
        })
      })
    ),
    read: Effect.fn("ConversationStore.read")(({ limit, ...log }) =>
      Effect.map(read([log], limit), (rows) => ({
        entries: pageOf(rows, log.after, limit),
        isSealed: rows[0]?.conversation === "sealed"
      }))
    )
  }
}

/** The entries after a place in the log, which may be within a row. */
const pageOf = (rows: ReadonlyArray<ReadRow>, after: number, limit: number): ReadonlyArray<Storage.LoggedEntry> =>
  EntryRows.entriesOf(rows.flatMap((row) => row.chunk === null ? [] : [row]))
    .filter(({ sequence }) => sequence > after)
    .slice(0, limit)

const isFinal = ({ conversation, status }: ReadRow): boolean =>
  ConversationLog.isFinal({ status, ...(conversation !== null && { conversation }) })
