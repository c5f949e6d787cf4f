/** Erases the data of one callee: see the port. What must be kept is stored under the number's alias. */
import { CallLife, Erasure, type Event, type Ids, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as BatchRows from "../call/BatchRows.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import * as ConversationLogs from "../conversation/ConversationLogs.ts"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import * as CallRequests from "../call/CallRequests.ts"
import { isOver, recordedOf } from "./Retention.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Erasure = Pick<
  Storage.PrivacyStore["Service"],
  "beginErasure" | "callsToErase" | "eraseCalls" | "eraseRejectedRows"
>

export const make = (database: Database, writes: CallWriter): Erasure => {
  const { sql, statement, transaction } = database
  const logs = ConversationLogs.make(database)

  /** Removes the callee's data from the events of these calls, delivered or not; returns the number of events. */
  const eraseEvents = Effect.fnUntraced(
    function*(accountId: Ids.AccountId, callIds: ReadonlyArray<Ids.CallId>, eraser: Storage.EventEraser) {
      const ranges = callIds.map(EventRows.idsOfCall)
      // Index: primary key, once for each call and then for each event; the offset keeps a planner from reading all events
      // instead. Locked in the order of their ids; waits for a pruning that holds one of them.
      const rows = yield* sql<EventRows.EventRow>`
        select e.*
        from outdial_events as e
        where e.account_id = ${accountId}
          and e.id = any(array(
            select o.id
            from unnest(
              ${callIds}::text[], ${ranges.map(([first]) => first)}::text[], ${ranges.map(([, last]) => last)}::text[]
            ) as c (id, first, last)
            cross join lateral (
              select o.id
              from outdial_events as o
              where o.account_id = ${accountId}
                and o.id >= c.first
                and o.id < c.last
                and o.call_id = c.id
              offset 0
            ) as o
          ))
        order by e.id
        for no key update`
      const erased = rows.map((row) => ({ id: row.id, body: eraser(EventRows.toEvent(row)) }))
      // Index: primary key. The rows are locked already.
      yield* sql`
        update outdial_events as e
        set body = r.body,
          erased = true
        from json_to_recordset(${JSON.stringify(erased)}::json) as r (id text, body text)
        where e.account_id = ${accountId}
          and e.id = ${PlannerHints.anyOf(sql, erased.map(({ id }) => id))}
          and e.id = r.id`
      return erased.length
    }
  )

  const busyCall = ({ accountId, phoneNumber }: Storage.ErasedCallee) =>
    // Indexes: outdial_call_requests_number; then the primary key of the calls.
    PlannerHints.plannedEachTime(sql<{ readonly id: Ids.CallId }>`
      select q.id
      from outdial_call_requests as q
      ${CallRequests.joinCall(sql, accountId)}
      where q.account_id = ${accountId}
        and q.phone_number = ${phoneNumber}
        and ${PlannerHints.isListed(sql, "q")}
        and case when c.status = 'queued' then false else not (${isOver(sql)}) end
      limit 1`)

  const begin = Effect.fnUntraced(function*(options: Parameters<Erasure["beginErasure"]>[0]) {
    const { accountId, alias, eraser, now, phoneNumber } = options
    // Index: primary key. Stronger than the lock of claims: requests that may have planned a call to the number share this
    // row until they commit, so that their calls are seen below, and later requests see the result.
    yield* sql`
      select a.id
      from outdial_accounts as a
      where a.id = ${accountId}
      for update`
    const [busy] = yield* busyCall(options)
    if (busy !== undefined) return { _tag: "Busy", callId: busy.id } satisfies Storage.BeginErasureResult
    // Unique index: outdial_calls_one_queued.
    const rows = yield* PlannerHints.plannedEachTime(sql<CallRows.StateRow>`
      select c.*
      from outdial_calls as c
      where c.account_id = ${accountId}
        and c.phone_number = ${phoneNumber}
        and ${PlannerHints.holdsNumber(sql)}
      for no key update`)
    const changes = rows.map(CallRows.toState).map((before): Event.StateChange => ({
      before,
      after: CallLife.canceled(before, now)
    }))
    yield* writes.save({ accountId, changes, events: options.events })
    // In the transaction that writes them, so that they are never sent unerased.
    yield* eraseEvents(accountId, changes.map(({ after }) => after.id), eraser)
    // Index: outdial_erased_callees_known. The number is unknown until the account uses it again.
    yield* sql`
      update outdial_erased_callees
      set phone_number = null
      where account_id = ${accountId}
        and phone_number = ${phoneNumber}`
    yield* sql`
      insert into outdial_erased_callees (account_id, alias, erased_at)
      values (${accountId}, ${alias}, ${DateTime.toDateUtc(now)})
      on conflict (account_id, alias) do update
      set phone_number = null,
        erased_at = excluded.erased_at`
    // Index: primary key. The entry stays without the call that requested it and the person who added it.
    yield* sql`
      with entry as (
        delete from outdial_do_not_call as n
        where n.account_id = ${accountId}
          and n.phone_number = ${phoneNumber}
        returning n.source, n.created_at
      )
      insert into outdial_do_not_call (account_id, phone_number, source, created_at)
      select ${accountId}, ${alias}, entry.source, entry.created_at
      from entry
      on conflict (account_id, phone_number) do nothing`
    // Index: primary key.
    const listed = yield* sql`
      select 1
      from outdial_do_not_call as n
      where n.account_id = ${accountId}
        and n.phone_number = ${alias}`
    return {
      _tag: "Begun",
      canceled: changes.length,
      doNotCall: listed.length > 0
    } satisfies Storage.BeginErasureResult
  })

  const callsToErase = ({ accountId, limit, phoneNumber, until }: Parameters<Erasure["callsToErase"]>[0]) =>
    // Indexes: outdial_call_requests_number; then primary key of the calls. A plain read: ended calls do not change.
    PlannerHints.plannedEachTime(sql<{ readonly id: Ids.CallId }>`
      select q.id
      from outdial_call_requests as q
      ${CallRequests.joinCall(sql, accountId)}
      where q.account_id = ${accountId}
        and q.phone_number = ${phoneNumber}
        and ${PlannerHints.isListed(sql, "q")}
        and q.created_at <= ${DateTime.toDateUtc(until)}
        and ${isOver(sql)}
      order by q.created_at, q.id
      limit ${limit}`)

  const eraseCalls = Effect.fnUntraced(function*(options: Parameters<Erasure["eraseCalls"]>[0]) {
    const { accountId, alias, callIds, eraser, phoneNumber } = options
    const locked = yield* writes.lock(accountId, callIds)
    const calls = [...locked.values()].filter((call) => call.phoneNumber === phoneNumber && Erasure.isErasable(call))
    const ids = calls.map(({ id }) => id)
    const terms = yield* writes.requests.of(accountId, ids)
    // Index: primary key. The calls' locks cover their requests, too. Both statements do what `Erasure.erasedCall`
    // does.
    yield* sql`
      update outdial_call_requests as q
      set phone_number = ${alias},
        contact = '{}'::json,
        external_id = null,
        variables = '{}'::json,
        metadata = '{}'::json
      where q.account_id = ${accountId}
        and q.id = any(${ids}::text[])`
    // Index: primary key.
    yield* sql`
      update outdial_calls as c
      set phone_number = ${alias},
        carrier_reason = null,
        ended_carrier_call_id = null,
        holds = null,
        decision = null,
        has_recording = false,
        transcript = null,
        notes = null,
        outcome = null,
        made_outcome = null,
        transcript_deleted = true,
        outcome_state = case when c.outcome_state = 'stored' then 'given_up' else c.outcome_state end
      where c.account_id = ${accountId}
        and c.id = any(${ids}::text[])`
    yield* writes.unwantedRecordings.mark(accountId, recordedOf(calls))
    yield* logs.remove(accountId, calls)
    yield* eraseFingerprints(accountId, {
      times: calls.map(({ createdAt }) => createdAt),
      resourceIds: [...ids, ...[...terms.values()].flatMap(({ batchId }) => batchId === null ? [] : [batchId])]
    })
    return { calls: ids.length, events: yield* eraseEvents(accountId, ids, eraser) }
  })

  /** A key has the instant at which its call or batch was created. */
  const eraseFingerprints = (
    accountId: Ids.AccountId,
    { resourceIds, times }: {
      readonly times: ReadonlyArray<DateTime.Utc>
      readonly resourceIds: ReadonlyArray<Ids.CallId | Ids.BatchId>
    }
  ) =>
    // Index: outdial_idempotency_keys_oldest. The key stays, so that a retry creates no second call.
    PlannerHints.plannedEachTime(sql`
      update outdial_idempotency_keys as i
      set fingerprint = ''
      where i.account_id = ${accountId}
        and i.created_at = any(${times.map((at) => DateTime.formatIso(at))}::timestamptz[])
        and i.resource_id = any(${resourceIds}::text[])`)

  const eraseRejectedRows = Effect.fnUntraced(
    function*({ accountId, after, eraser, limit }: Parameters<Erasure["eraseRejectedRows"]>[0]) {
      // Index: primary key, in its order. Nothing else writes batches.
      const rows = yield* sql<BatchRows.BatchRow>`
        select b.*
        from outdial_batches as b
        where b.account_id = ${accountId}
          and b.id > ${Option.getOrElse(after, () => "")}
        order by b.id
        limit ${limit}`
      const changed = rows.map(BatchRows.toBatch).flatMap((batch) => {
        const rejected = batch.rejected.map(eraser)
        const count = rejected.filter((row, index) => row !== batch.rejected[index]).length
        return count === 0 ? [] : [{ batch: { ...batch, rejected }, count }]
      })
      if (changed.length > 0) {
        const batches = changed.map(({ batch }) => ({ id: batch.id, rejected: JSON.stringify(batch.rejected) }))
        // Index: primary key.
        yield* sql`
          update outdial_batches as b
          set rejected = r.rejected::json
          from json_to_recordset(${JSON.stringify(batches)}::json) as r (id text, rejected text)
          where b.account_id = ${accountId}
            and b.id = any(${batches.map(({ id }) => id)}::text[])
            and b.id = r.id`
        yield* eraseFingerprints(accountId, {
          times: changed.map(({ batch }) => batch.createdAt),
          resourceIds: changed.map(({ batch }) => batch.id)
        })
      }
      return {
        rows: changed.reduce((sum, { count }) => sum + count, 0),
        next: rows.length < limit ? Option.none() : Option.fromUndefinedOr(rows.at(-1)?.id)
      }
    }
  )

  return {
    beginErasure: Effect.fn("PrivacyStore.beginErasure")((options) => transaction(begin(options))),
    callsToErase: Effect.fn("PrivacyStore.callsToErase")((options) =>
      Effect.map(statement(callsToErase(options)), (rows) => rows.map(({ id }) => id))
    ),
    eraseCalls: Effect.fn("PrivacyStore.eraseCalls")((options) => transaction(eraseCalls(options))),
    eraseRejectedRows: Effect.fn("PrivacyStore.eraseRejectedRows")((options) => transaction(eraseRejectedRows(options)))
  }
}
