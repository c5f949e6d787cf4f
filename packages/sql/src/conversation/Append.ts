/** Appends to the logs of conversations: one transaction for all logs of a process, and one statement for the logs of an account. */
import { type Call, CallLife, ConversationLog, type Event, type Ids, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import { anyOf } from "../database/PlannerHints.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as EntryRows from "./EntryRows.ts"

type Steps = ReadonlyArray<Event.Step<Call.CallState>>

/** A change within a status means no event. */
const noEvents: Event.EventWriter = ({ after }) => {
  throw new Error(`An append has ended ${after.id}`)
}

export const make = (database: Database, writes: CallWriter): Storage.ConversationStore["Service"]["append"] => {
  const { sql, statement, transaction } = database

  /** The calls that these entries may change, locked. A call that is marked stays marked, so that it is not locked again. */
  const lockChanged = (accountId: Ids.AccountId, appended: ReadonlyArray<Storage.AppendOptions>) => {
    const always = appended.filter(({ entries }) => isDecisive(entries)).map(({ callId }) => callId)
    const ids = appended.filter(mayChangeCall).map(({ callId }) => callId)
    if (ids.length === 0) return Effect.succeed<ReadonlyArray<Call.CallState>>([])
    // Index: primary key. In the order of the ids, as all sets are.
    return Effect.map(
      sql<CallRows.StateRow>`
        select c.*
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.id = ${anyOf(sql, ids)}
          and (c.contact_spoke_at is null or c.id = any(${always}::text[]))
        order by c.id
        for no key update`,
      (rows) => rows.map(CallRows.toState)
    )
  }

  /** Appends to the logs of an account; returns those that were appended to. */
  const appendTo = Effect.fnUntraced(
    function*(accountId: Ids.AccountId, given: ReadonlyArray<Storage.AppendOptions>, now: DateTime.Utc) {
      const calls = yield* lockChanged(accountId, given)
      const entries = given.flatMap(({ callId, entries, generation }) =>
        entries.map((entry, index) => ({ callId, generation, index: index + 1, json: EntryRows.encoded(entry) }))
      )
      // Index: primary keys. The generation keeps out every writer but one, so that two sets share no row; if a takeover or a seal comes
      // first, the row has another generation when this statement continues. Its snapshot may be older than a chunk that a lost attempt
      // of this append has opened: the last insert finds that one.
      const rows = yield* sql<{ readonly call_id: Ids.CallId; readonly generation: number }>`
        with appended as (
          update outdial_conversations as o
          set lease_until = ${DateTime.toDateUtc(ConversationLog.lease(now))},
            entry_count = o.entry_count + r.added
          from unnest(
            ${given.map(({ callId }) => callId)}::text[], ${given.map(({ generation }) => generation)}::int[], ${
        given.map(({ entries }) => entries.length)
      }::int[]
          ) as r (call_id, generation, added)
          where o.account_id = ${accountId}
            and o.call_id = ${anyOf(sql, given.map(({ callId }) => callId))}
            and o.call_id = r.call_id
            and o.generation = r.generation
          returning o.call_id, o.generation, o.entry_count - r.added as before
        ), added as (
          select r.call_id, (a.before + r.index - 1) / ${EntryRows.size}::int as chunk,
            (min(a.before + r.index) - 1) % ${EntryRows.size}::int = 0 as is_new,
            '[' || string_agg(r.entry, ',' order by r.index desc) || ']' as entries
          from unnest(
            ${entries.map(({ callId }) => callId)}::text[], ${entries.map(({ generation }) => generation)}::int[], ${
        entries.map(({ index }) => index)
      }::int[], ${entries.map(({ json }) => json)}::text[]
          ) as r (call_id, generation, index, entry)
          join appended as a on a.call_id = r.call_id and a.generation = r.generation
          group by 1, 2
        ), continued as (
          update outdial_conversation_entries as e
          set entries = (left(r.entries, -1) || ',' || substr(e.entries::text, 2))::json
          from added as r
          where e.account_id = ${accountId}
            and e.call_id = ${anyOf(sql, [...new Set(entries.map(({ callId }) => callId))])}
            and e.call_id = r.call_id
            and e.chunk = r.chunk
          returning e.call_id, e.chunk
        ), opened as (
          insert into outdial_conversation_entries (account_id, call_id, chunk, entries)
          select ${accountId}, r.call_id, r.chunk, r.entries::json
          from added as r
          where r.is_new
        ), missed as (
          insert into outdial_conversation_entries as e (account_id, call_id, chunk, entries)
          select ${accountId}, r.call_id, r.chunk, r.entries::json
          from added as r
          where not r.is_new
            and not exists (
              select 1
              from continued as k
              where k.call_id = r.call_id
                and k.chunk = r.chunk
            )
          on conflict (account_id, call_id, chunk) do update
          set entries = (left(excluded.entries::text, -1) || ',' || substr(e.entries::text, 2))::json
        )
        select a.call_id, a.generation
        from appended as a`
      const generations = new Map(rows.map(({ call_id, generation }) => [call_id, generation]))
      const appended = given.filter(({ callId, generation }) => generations.get(callId) === generation)
      const said = new Map(appended.map(({ callId, entries }) => [callId, entries]))
      const changes = calls.flatMap((before): Steps => {
        const after = CallLife.logged(before, said.get(before.id) ?? [], now)
        return after === undefined ? [] : [{ before, after }]
      })
      yield* writes.save({ accountId, changes, events: noEvents })
      return appended
    }
  )

  return Effect.fn("ConversationStore.append")(({ logs: given, now }) => {
    // One for each writer of a log.
    const logs = new Map<string, Storage.AppendOptions>()
    for (const one of given) {
      const before = logs.get(writerOf(one))?.entries ?? []
      logs.set(writerOf(one), { ...one, entries: [...before, ...one.entries] })
    }
    const accounts = [...Map.groupBy(logs.values(), ({ accountId }) => accountId)].sort(([a], [b]) => a < b ? -1 : 1)
    const written = Effect.forEach(accounts, ([accountId, of]) => appendTo(accountId, of, now))
    // One statement is a transaction.
    const run = accounts.length > 1 || given.some(mayChangeCall) ? transaction(written) : statement(written)
    return Effect.map(run, (sets) => {
      const appended = new Set(sets.flat().map(writerOf))
      return given.map((one) => appended.has(writerOf(one)))
    })
  })
}

const writerOf = ({ accountId, callId, generation }: Storage.AppendOptions): string =>
  `${accountId} ${callId} ${generation}`

const mayChangeCall = ({ entries }: Storage.AppendOptions): boolean =>
  ConversationLog.hasContactWords(entries) || isDecisive(entries)

/** Whether they change a call whose contact has spoken before. */
const isDecisive = (entries: Storage.AppendOptions["entries"]): boolean =>
  ConversationLog.isVoicemail(entries) || ConversationLog.lastTransfer(entries) !== undefined
