/** The do-not-call list. Adding to it locks the account, as claims do, so that no claim decides by the old list. */
import {
  CallLife,
  type DoNotCall,
  type Event,
  HoldHistory,
  type Ids,
  type PhoneNumber,
  type Storage
} from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import type { Database } from "../database/Database.ts"
import { notErased } from "../policy/ErasedCallees.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"
import * as Paging from "../database/Paging.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type DoNotCall = Storage.DoNotCallStore["Service"]

interface EntryRow {
  readonly phone_number: PhoneNumber.PhoneNumber
  readonly source: DoNotCall.DoNotCallSource
  readonly call_id: Ids.CallId | null
  readonly created_at: Date
}

const toEntry = (row: EntryRow): DoNotCall.DoNotCallEntry => ({
  phoneNumber: row.phone_number,
  source: row.source,
  ...(row.call_id !== null && { callId: row.call_id }),
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

const fromEntry = ({ callId, createdAt, phoneNumber, source }: DoNotCall.DoNotCallEntry) => ({
  phone_number: phoneNumber,
  source,
  call_id: callId,
  created_at: DateTime.formatIso(createdAt)
})

/** Adds entries as part of the caller's transaction. */
export const adding = (database: Database, writes: CallWriter) => {
  const { sql } = database
  const shared = SharedPeriods.make(database)
  return Effect.fnUntraced(function*({ accountId, entries, events, now }: Storage.AddDoNotCallOptions) {
    // Index: primary key. Waits for a claim of the account, which holds this row; later claims see the new list.
    yield* sql`
      select a.id
      from outdial_accounts as a
      where a.id = ${accountId}
      for no key update`
    // Index: primary key, which decides. Numbers are sorted, so that two sets cannot deadlock.
    const added = yield* sql`
      insert into outdial_do_not_call (account_id, phone_number, source, call_id, created_at)
      select ${accountId}, r.phone_number, r.source, r.call_id, r.created_at
      from json_to_recordset(${JSON.stringify(entries.map(fromEntry))}::json) as r (
        phone_number text, source text, call_id text, created_at timestamptz
      )
      order by r.phone_number collate "C"
      on conflict (account_id, phone_number) do nothing
      returning phone_number`
    const numbers = entries.map(({ phoneNumber }) => phoneNumber)
    // Unique index: outdial_calls_one_queued. Waits for a call that is being canceled.
    const rows = yield* PlannerHints.plannedEachTime(sql<CallRows.StateRow>`
      select c.*
      from outdial_calls as c
      where c.account_id = ${accountId}
        and c.phone_number = any(${numbers}::text[])
        and ${PlannerHints.holdsNumber(sql)}
      order by c.id
      for no key update`)
    const periods = yield* shared.read(accountId, rows.map(({ lane }) => lane))
    const changes = rows.map(CallRows.toState).map((before): Event.StateChange => ({
      before,
      after: CallLife.canceled(HoldHistory.withShared(before, periods, now), now, "do_not_call")
    }))
    yield* writes.save({ accountId, changes, events })
    // Index: primary key. Waits for submissions, which share this row; later ones have an outdated epoch.
    yield* sql`
      update outdial_dial_switches
      set epoch = epoch + 1
      where account_id = ${accountId}`
    return { added: added.length, canceled: changes.length }
  })
}

export const make = (database: Database, writes: CallWriter): DoNotCall => {
  const { sql, statement, transaction } = database
  const paging = Paging.make(database, { alias: "n", id: "phone_number" })
  const add = adding(database, writes)

  return {
    add: Effect.fn("DoNotCallStore.add")((options) => transaction(add(options))),

    remove: Effect.fn("DoNotCallStore.remove")((accountId, number) =>
      // Index: primary key.
      statement(Effect.map(
        sql`
          delete from outdial_do_not_call as n
          where n.account_id = ${accountId}
            and n.phone_number = ${number}
          returning n.phone_number`,
        (rows) => rows.length > 0
      ))
    ),

    get: Effect.fn("DoNotCallStore.get")((accountId, number) =>
      // Index: primary key. A plain read.
      statement(Effect.map(
        sql<EntryRow>`
          select n.*
          from outdial_do_not_call as n
          where n.account_id = ${accountId}
            and n.phone_number = ${number}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), toEntry)
      ))
    ),

    list: Effect.fn("DoNotCallStore.list")(({ accountId, page }) =>
      // Index: outdial_do_not_call_newest, in its order. A plain read.
      statement(Effect.map(
        PlannerHints.plannedEachTime(sql<EntryRow>`
          select n.*
          from outdial_do_not_call as n
          where ${
          sql.and([
            sql`n.account_id = ${accountId}`,
            notErased(sql, "n"),
            paging.isList,
            ...paging.behind(page)
          ])
        }
          order by ${paging.order}
          limit ${paging.limit(page)}`),
        (rows) => Paging.toPage(rows, page, toEntry)
      ))
    )
  }
}
