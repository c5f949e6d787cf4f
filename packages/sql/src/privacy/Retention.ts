/**
 * Deletes what is older than its retention. Each statement deletes a small set from the old end of an index and skips locked
 * rows, so that it waits for no lock, and others wait at most for that set.
 */
import { type Call, Erasure, type Ids, Retention as RetentionRules, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import * as ConversationLogs from "../conversation/ConversationLogs.ts"
import type { Database } from "../database/Database.ts"
import * as CallRequests from "../call/CallRequests.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Retention = Pick<
  Storage.PrivacyStore["Service"],
  "pruneIdempotencyKeys" | "pruneRequestWindows" | "oldCalls" | "deleteCalls" | "oldTranscripts" | "deleteTranscripts"
>

/** The stages of ended calls. */
export const ended = ["completed", "forgotten", "no_answer", "busy", "failed", "canceled", "expired"]

/** Whether a call has ended and been reported. A case, so that no index on the queue is used for it. */
export const isOver = (sql: Database["sql"]): Statement.Fragment =>
  sql`case when c.status in ('queued', 'dialing', 'in_progress') then false else c.outcome_state <> 'pending' end`

/** The calls that have a recording: one may have come after its file was removed. */
export const recordedOf = (calls: ReadonlyArray<Call.CallState>): ReadonlyArray<Ids.CallId> =>
  calls.filter(({ hasRecording }) => hasRecording).map(({ id }) => id)

export const make = (database: Database, writes: CallWriter): Retention => {
  const { sql, statement, transaction } = database
  const logs = ConversationLogs.make(database)

  const pruneKeys = ({ accountId, before, limit }: Storage.PruneOptions) =>
    // Indexes: outdial_idempotency_keys_oldest; for each key the primary key of calls, or outdial_call_requests_rows and then
    // that. Skips a key that a request is using.
    sql`
      delete from outdial_idempotency_keys as i
      where i.account_id = ${accountId}
        and i.ctid = any(array(
        select i.ctid
        from outdial_idempotency_keys as i
        where i.account_id = ${accountId}
          and i.created_at <= ${DateTime.toDateUtc(before)}
          and case i.route
            when 'calls' then (
              select true
              from outdial_calls as c
              where c.account_id = ${accountId}
                and c.id = i.resource_id
                and not ${isOver(sql)}
              ${PlannerHints.oneRow(sql)}
            )
            else (
              select true
              from outdial_call_requests as q
              ${CallRequests.joinCall(sql, accountId)}
              where q.account_id = ${accountId}
                and q.batch_id = i.resource_id
                and not ${isOver(sql)}
              ${PlannerHints.oneRow(sql)}
            )
          end is null
        order by i.created_at
        limit ${limit}
        for update of i skip locked
      ))
      returning i.key`

  const pruneWindows = ({ accountId, before, limit }: Storage.PruneOptions) =>
    // Index: primary key. An account has one row for each of its keys.
    sql`
      with old as materialized (
        select w.name
        from outdial_request_windows as w
        where w.account_id = ${accountId}
          and w.second <= ${Math.floor(before.epochMilliseconds / 1000)}
        limit ${limit}
        for update skip locked
      )
      delete from outdial_request_windows as w
      where w.account_id = ${accountId}
        and w.name = any(array(select old.name from old))
      returning w.name`

  const oldCalls = ({ accountId, before, limit }: Storage.PruneOptions) =>
    // Indexes: outdial_calls_stage, each stage from its start; primary key. A plain read: ended calls do not change.
    sql<{ readonly id: Ids.CallId }>`
      select c.id
      from unnest(${ended}::text[]) as s (stage)
      cross join lateral (
        select c.id, c.created_at
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = s.stage
          and c.stage <> 'live'
          and ${PlannerHints.isListed(sql, "c")}
          and c.created_at <= ${DateTime.toDateUtc(before)}
          and ${isOver(sql)}
          and case when c.dialed_at is null then true else c.dialed_at < (
            select f.folded_until
            from outdial_usage_folds as f
            where f.account_id = ${accountId}
          ) end
        order by c.created_at, c.id
        limit ${limit}
      ) as c
      order by c.created_at, c.id
      limit ${limit}`

  const deleteCalls = Effect.fnUntraced(
    function*({ accountId, before, callIds, limit }: Parameters<Retention["deleteCalls"]>[0]) {
      // Primary keys. Skips rows that another node is pruning.
      const deleted = yield* sql`
        with old as materialized (
          select c.id, c.has_recording
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.id = any(${callIds}::text[])
            and ${isOver(sql)}
          for update skip locked
        ), recordings as (
          insert into outdial_unwanted_recordings (account_id, call_id)
          select ${accountId}, old.id
          from old
          where old.has_recording
          on conflict do nothing
        ), calls as (
          delete from outdial_calls as c
          where c.account_id = ${accountId}
            and c.id = any(array(select old.id from old))
        ), conversations as (
          delete from outdial_conversations as o
          where o.account_id = ${accountId}
            and o.call_id = any(array(select old.id from old))
        ), entries as (
          delete from outdial_conversation_entries as e
          where e.account_id = ${accountId}
            and e.call_id = any(array(select old.id from old))
        )
        delete from outdial_call_requests as q
        where q.account_id = ${accountId}
          and q.id = any(array(select old.id from old))
        returning q.id`
      // Indexes: outdial_batches_newest from its end; outdial_call_requests_rows; primary key.
      yield* sql`
        with old as materialized (
          select b.id
          from outdial_batches as b
          where b.account_id = ${accountId}
            and ${PlannerHints.isListed(sql, "b")}
            and b.created_at <= ${DateTime.toDateUtc(before)}
            and (
              select true
              from outdial_call_requests as q
              where q.account_id = ${accountId}
                and q.batch_id = b.id
              ${PlannerHints.oneRow(sql)}
            ) is null
          order by b.created_at, b.id
          limit ${limit}
          for update skip locked
        )
        delete from outdial_batches as b
        where b.account_id = ${accountId}
          and b.id = any(array(select old.id from old))`
      return deleted.length
    }
  )

  const oldTranscripts = ({ accountId, before, limit }: Storage.PruneOptions) =>
    // Indexes: outdial_calls_stage, from the first call with a transcript; outdial_conversations_oldest, and for each row the primary key
    // of its call, because calls that were not completed may have transcripts, too. Plain reads: ended calls do not change.
    sql<{ readonly id: Ids.CallId }>`
      select t.id
      from (
        (
          select c.id, c.created_at
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.stage = 'completed'
            and ${PlannerHints.isListed(sql, "c")}
            and c.created_at <= ${DateTime.toDateUtc(before)}
            and ${isOver(sql)}
          order by c.created_at, c.id
          limit ${limit}
        )
        union
        (
          select o.call_id, o.created_at
          from outdial_conversations as o
          cross join lateral (
            select c.id
            from outdial_calls as c
            where c.account_id = ${accountId}
              and c.id = o.call_id
              and ${isOver(sql)}
            ${PlannerHints.oneRow(sql)}
          ) as c
          where o.account_id = ${accountId}
            and o.created_at > '-infinity'
            and o.created_at <= ${DateTime.toDateUtc(before)}
          order by o.created_at, o.call_id
          limit ${limit}
        )
      ) as t
      order by t.created_at, t.id
      limit ${limit}`

  const deleteTranscripts = Effect.fnUntraced(
    function*({ accountId, callIds }: Parameters<Retention["deleteTranscripts"]>[0]) {
      const calls = [...(yield* writes.lock(accountId, callIds)).values()].filter(Erasure.isErasable)
      const ids = calls.map(({ id }) => id)
      // The outcome without its evidence, of calls that have some: the document cannot be changed as jsonb, which takes no NUL.
      const outcomes = calls.flatMap((call) => {
        const outcome = call.outcome?.evidence && RetentionRules.withoutTranscript(call)?.outcome
        return outcome === undefined ? [] : [{ id: call.id, outcome: JSON.stringify(CallRows.storedOutcome(outcome)) }]
      })
      // Index: primary key. The rows are locked already. Same as `Retention.withoutTranscript`: the transcript is stored separately.
      yield* sql`
        update outdial_calls as c
        set has_recording = false,
          transcript = null,
          notes = null,
          outcome = coalesce(r.outcome::json, c.outcome),
          made_outcome = null,
          transcript_deleted = true
        from unnest(${ids}::text[]) as i (id)
        left join json_to_recordset(${JSON.stringify(outcomes)}::json) as r (id text, outcome text) on r.id = i.id
        where c.account_id = ${accountId}
          and c.id = ${PlannerHints.anyOf(sql, ids)}
          and c.id = i.id`
      yield* writes.unwantedRecordings.mark(accountId, recordedOf(calls))
      yield* logs.remove(accountId, calls)
      return calls.length
    }
  )

  const count = (rows: ReadonlyArray<unknown>) => rows.length

  return {
    pruneIdempotencyKeys: Effect.fn("PrivacyStore.pruneIdempotencyKeys")((options) =>
      Effect.map(statement(pruneKeys(options)), count)
    ),
    pruneRequestWindows: Effect.fn("PrivacyStore.pruneRequestWindows")((options) =>
      Effect.map(statement(pruneWindows(options)), count)
    ),
    oldCalls: Effect.fn("PrivacyStore.oldCalls")((options) =>
      Effect.map(statement(oldCalls(options)), (rows) => rows.map(({ id }) => id))
    ),
    deleteCalls: Effect.fn("PrivacyStore.deleteCalls")((options) => transaction(deleteCalls(options))),
    oldTranscripts: Effect.fn("PrivacyStore.oldTranscripts")((options) =>
      Effect.map(statement(oldTranscripts(options)), (rows) => rows.map(({ id }) => id))
    ),
    deleteTranscripts: Effect.fn("PrivacyStore.deleteTranscripts")((options) => transaction(deleteTranscripts(options)))
  }
}
