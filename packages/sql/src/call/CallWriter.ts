/**
 * Writes calls in sets, each change together with its event and deliveries. Uses a constant number of statements, whatever
 * the size of the set. `CallLife` decides what changes.
 */
import { type Call, Event, type Ids, type PhoneNumber } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as CallRows from "./CallRows.ts"
import * as Outbox from "../event/Outbox.ts"
import * as PendingOutcomes from "./PendingOutcomes.ts"
import * as CallRequests from "./CallRequests.ts"
import * as PlannerHints from "../database/PlannerHints.ts"
import * as UnwantedRecordings from "./UnwantedRecordings.ts"

export interface SaveOptions {
  readonly accountId: Ids.AccountId
  /** In the order in which they happened; a call may change more than once. */
  readonly changes: ReadonlyArray<Event.StateChange>
  readonly events: Event.EventWriter
}

export interface CallWriter extends ReturnType<typeof make> {}

/** The same for whole calls. */
interface RecordOptions extends SaveOptions {
  readonly changes: ReadonlyArray<Event.CallChange>
}

const isWritten = (recipients: Outbox.Recipients, change: Event.StateChange): boolean => {
  const kind = Event.kindOf(change)
  return kind !== undefined && (Outbox.isWanted(recipients, kind) || Event.isTerminal(kind))
}

/*
 * Rows are sent as one JSON parameter, so that the text of a statement is the same for every size of set and the
 * statement stays prepared. Documents inside it are text, cast to `json` when they are read: as nested JSON, a `\u0000`
 * in metadata would be rejected.
 */
export const make = (database: Database) => {
  const { sql } = database
  const outbox: Outbox.Outbox = Outbox.make(database)
  const requests: CallRequests.Requests = CallRequests.make(database)
  const outcomes = PendingOutcomes.make(database)
  const unwantedRecordings = UnwantedRecordings.marking(database)

  /** Locks the calls in the order of their ids, so that two sets that overlap cannot deadlock. */
  const lock = (accountId: Ids.AccountId, ids: ReadonlyArray<Ids.CallId>) =>
    // Index: primary key. The lock keeps the row unchanged while a rule decides on it.
    Effect.map(
      sql<CallRows.StateRow>`
        select c.*
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.id = ${PlannerHints.anyOf(sql, ids)}
        order by c.id
        for no key update`,
      (rows) => new Map(rows.map((row) => [row.id, CallRows.toState(row)]))
    )

  /** The queued calls of these numbers. */
  const waiting = (accountId: Ids.AccountId, numbers: ReadonlyArray<PhoneNumber.PhoneNumber>) =>
    // Unique index: outdial_calls_one_queued, once for each number. A plain read: such a call may be dialed at any moment
    // anyway, and the index rejects one that is queued concurrently.
    Effect.map(
      PlannerHints.plannedEachTime(sql<Pick<CallRows.CallRow, "id" | "phone_number">>`
        select w.id, w.phone_number
        from unnest(${numbers}::text[]) as n (phone_number)
        cross join lateral (
          select c.id, c.phone_number
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.phone_number = n.phone_number
            and ${PlannerHints.holdsNumber(sql)}
          ${PlannerHints.oneRow(sql)}
        ) as w`),
      (rows) => new Map(rows.map((row) => [row.phone_number, row.id]))
    )

  /** Makes the queued calls of these numbers due again, even if a concurrent claim holds them because of the number. */
  const reconsider = Effect.fnUntraced(
    function*(accountId: Ids.AccountId, numbers: ReadonlyArray<PhoneNumber.PhoneNumber>, now: DateTime.Utc) {
      // Unique index: outdial_calls_one_queued. Locked in the order of their ids, as all sets are. A separate statement, so that
      // the next one sees the result of a claim.
      const queued = yield* PlannerHints.plannedEachTime(sql`
        select c.id
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.phone_number = any(${numbers}::text[])
          and ${PlannerHints.holdsNumber(sql)}
        order by c.id
        for no key update`)
      if (queued.length === 0) return
      // Unique index: outdial_calls_one_queued. Same as `CallLife.reconsidered`.
      yield* PlannerHints.plannedEachTime(sql`
        update outdial_calls as c
        set due_at = greatest(c.not_before, ${DateTime.toDateUtc(now)}::timestamptz)
        where c.account_id = ${accountId}
          and c.phone_number = any(${numbers}::text[])
          and ${PlannerHints.holdsNumber(sql)}
          and c.due_at > greatest(c.not_before, ${DateTime.toDateUtc(now)}::timestamptz)`)
    }
  )

  /**
   * Adds calls and returns how many were added. Calls to a number that already has a queued call are not added. If the count is
   * too small, the caller must roll back: the requests of all calls are written.
   */
  const add = (accountId: Ids.AccountId, calls: ReadonlyArray<Call.CallRecord>) =>
    // Unique index: outdial_calls_one_queued, which has only queued calls. A second call waits here until the first commits or
    // rolls back; numbers are sorted, so that two sets cannot deadlock. Calls are sent as columns: parsing JSON would take a
    // fifth of the statement's time.
    Effect.map(
      sql<{ readonly added: number }>`
        with given as materialized (
          select r.*
          from unnest(${
        sql.csv(
          CallRows.newColumns.map((column) => sql`${CallRows.valuesOf(column, calls)}::${sql.literal(column.type)}[]`)
        )
      }) as r (${sql.literal(CallRows.newColumns.map(({ name }) => name).join(", "))})
        ), added as (
          insert into outdial_calls (
            account_id, id, priority, test, phone_number, status, status_code, created_at, lane, not_before, due_at,
            expires_at, holds, unavailable_count, dialed_at, answered_at, ended_at, answered_by, has_recording, transcript,
            outcome, outcome_state, outcome_due_at
          )
          select
            ${accountId}, g.id, g.priority, g.test, g.phone_number, g.status, g.status_code, g.created_at, g.lane,
            g.not_before, g.due_at, g.expires_at, g.holds::json, g.unavailable_count, g.dialed_at, g.answered_at, g.ended_at,
            g.answered_by, g.has_recording, g.transcript::json, g.outcome::json, g.outcome_state, g.outcome_due_at
          from given as g
          order by g.phone_number collate "C"
          on conflict (account_id, phone_number) where case when stage = 'queued' then not test end
          do nothing
          returning id
        ), asked as (
          insert into outdial_call_requests (
            account_id, id, agent_id, agent_version, batch_id, batch_index, test, phone_number, contact, external_id,
            variables, metadata, created_at
          )
          select
            ${accountId}, g.id, g.agent_id, g.agent_version, g.batch_id, g.batch_index, g.test, g.phone_number,
            g.contact::json, g.external_id, g.variables::json, g.metadata::json, g.created_at
          from given as g
          order by g.id
        )
        select count(*)::int as added
        from added`,
      ([row]) => row?.added ?? 0
    )

  const update = (
    accountId: Ids.AccountId,
    calls: ReadonlyArray<Call.CallState>,
    columns: ReturnType<typeof CallRows.columnsOf>
  ) =>
    // Index: primary key. The rows are locked already. Only changed columns are named: a change of no indexed column
    // writes to no index. There are few kinds of changes, so each statement stays prepared.
    sql`
      update outdial_calls as c
      set ${sql.literal(columns.map(({ name, type }) => `${name} = r.${name}::${type}`).join(", "))}
      from json_to_recordset(${JSON.stringify(calls.map((call) => CallRows.fromState(call, columns)))}::json) as r (
        id text, ${
      sql.literal(columns.map(({ name, type }) => `${name} ${type === "json" ? "text" : type}`).join(", "))
    }
      )
      where c.account_id = ${accountId}
        and c.id = ${PlannerHints.anyOf(sql, calls.map(({ id }) => id))}
        and c.id = r.id`

  /** Writes changes of locked calls, with their events and deliveries. */
  const save = Effect.fnUntraced(function*({ accountId, changes, events }: SaveOptions) {
    if (changes.length === 0) return
    yield* unwantedRecordings.save(accountId, changes)
    const last = new Map(changes.map(({ after }) => [after.id, after]))
    const columns = CallRows.columnsOf(changes)
    const calls = columns.length === 0 ? undefined : update(accountId, [...last.values()], columns)
    const withEvents = changes.filter((change) => Event.kindOf(change) !== undefined)
    if (withEvents.length === 0) {
      yield* calls ?? Effect.void
      return yield* outcomes.save(accountId, changes)
    }
    const recipients = yield* calls === undefined
      ? outbox.recipients(accountId)
      : outbox.writeWithRecipients(accountId, calls)
    yield* outcomes.save(accountId, changes)
    const written = withEvents.filter((change) => isWritten(recipients, change))
    const terms = yield* requests.of(accountId, written.map(({ after }) => after.id))
    const whole = written.map(({ after, before }) => ({ before, after: CallRequests.whole(after, terms) }))
    yield* write({ accountId, changes: whole, events }, recipients)
  })

  /** Writes the events of new calls. */
  const record = Effect.fnUntraced(function*(options: RecordOptions) {
    yield* outcomes.save(options.accountId, options.changes)
    const withEvents = options.changes.filter((change) => Event.kindOf(change) !== undefined)
    if (withEvents.length === 0) return
    const recipients = yield* outbox.recipients(options.accountId)
    const written = withEvents.filter((change) => isWritten(recipients, change))
    yield* write({ ...options, changes: written }, recipients)
  })

  /** Writes the events of these changes, and their deliveries. */
  const write = Effect.fnUntraced(function*(
    { accountId, changes, events }: RecordOptions,
    recipients: Outbox.Recipients
  ) {
    const written = changes.flatMap((change) => {
      const kind = Event.kindOf(change)
      return kind === undefined ? [] : [events(change, kind)]
    })
    const [first] = written
    if (first === undefined) return
    yield* outbox.write(accountId, written, recipients)
    if (Outbox.isWanted(recipients, "batch.completed")) {
      yield* outbox.ended(accountId, Event.endedOf(changes), first.createdAt)
    }
  })

  return { lock, waiting, reconsider, add, save, record, outbox, requests, unwantedRecordings }
}
