/** `batch.completed`: written once, when the terminal events of all calls of the batch are written. */
import type { Ids, Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as Batches from "./Batches.ts"
import type * as BatchRows from "./BatchRows.ts"
import type { CallWriter } from "./CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import * as Outbox from "../event/Outbox.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type CompleteBatches = Pick<Storage.CallStore["Service"], "completeBatches">
type Options = Parameters<CompleteBatches["completeBatches"]>[0]

/** A batch has one note for each transaction in which some of its calls ended. */
const maxNotes = 1000

export const make = (database: Database, { outbox }: CallWriter): CompleteBatches => {
  const { sql, transaction } = database
  const withCalls = Batches.callsOf(database)

  /** Deletes the notes of the batches whose calls ended first. A call that ends later adds a new note. */
  const takeEndedBatches = ({ accountId, limit, now }: Options) =>
    // Index: outdial_batch_ends_due, in its order. Skips notes that another node holds.
    sql<{ readonly batch_id: Ids.BatchId }>`
      with noted as materialized (
        select n.ctid as place, n.batch_id, n.ended_at
        from outdial_batch_ends as n
        where n.account_id = ${accountId}
          and n.ended_at <= ${DateTime.toDateUtc(now)}
        order by n.ended_at
        limit ${maxNotes}
        for update skip locked
      ), first as (
        select n.batch_id
        from noted as n
        group by n.batch_id
        order by min(n.ended_at), n.batch_id
        limit ${limit}
      )
      delete from outdial_batch_ends as b
      where b.account_id = ${accountId}
        and b.ctid = any(array(
        select n.place
        from noted as n
        where n.batch_id in (select f.batch_id from first as f)
      ))
      returning b.batch_id`

  const completed = Effect.fnUntraced(function*(accountId: Ids.AccountId, ids: ReadonlyArray<Ids.BatchId>) {
    // Indexes: primary keys; outdial_call_requests_rows for calls that have not ended. Notes of ended calls are committed.
    const batches = yield* PlannerHints.plannedEachTime(sql<BatchRows.BatchRow>`
      select b.*
      from outdial_batches as b
      where b.account_id = ${accountId}
        and b.id = any(${ids}::text[])
        and not exists (
          select 1
          from outdial_call_requests as q
          cross join lateral (
            select c.ended_at, c.outcome_due_at
            from outdial_calls as c
            where c.account_id = ${accountId}
              and c.id = q.id
            ${PlannerHints.oneRow(sql)}
          ) as c
          where q.account_id = ${accountId}
            and q.batch_id = b.id
            and (c.ended_at is null or c.outcome_due_at is not null)
        )`)
    return yield* withCalls(accountId, batches)
  })

  const complete = Effect.fnUntraced(function*(options: Options) {
    const { accountId, event } = options
    const ids = [...new Set((yield* takeEndedBatches(options)).map(({ batch_id }) => batch_id))]
    const recipients = yield* outbox.recipients(accountId)
    if (ids.length === 0 || !Outbox.isWanted(recipients, "batch.completed")) return ids.length
    const events = (yield* completed(accountId, ids)).map(event)
    if (events.length === 0) return ids.length
    // Primary key, which prevents a second event for a batch: the event's id is derived from the batch's id.
    const written = yield* sql<{ readonly id: Ids.EventId }>`
      insert into outdial_events (account_id, id, batch_id, type, created_at, body)
      select ${accountId}, r.id, r.batch_id, r.type, r.created_at, r.body
      from json_to_recordset(${JSON.stringify(events.map(EventRows.fromEvent))}::json) as r (
        id text, batch_id text, type text, created_at timestamptz, body text
      )
      on conflict do nothing
      returning id`
    const isNew = new Set(written.map(({ id }) => id))
    yield* outbox.deliver(accountId, events.filter(({ id }) => isNew.has(id)), recipients)
    return ids.length
  })

  return {
    completeBatches: Effect.fn("CallStore.completeBatches")((options) => transaction(complete(options)))
  }
}
