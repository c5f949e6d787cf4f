/**
 * What a claim reads after it has locked its account: the account's snapshot, its lanes, and pages of due calls. The first
 * page is read with the rest, in one statement. The calls of a page are locked.
 */
import type { Ids, Lane, Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import * as CallRows from "../call/CallRows.ts"
import type { Database } from "../database/Database.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as Lanes from "./Lanes.ts"
import type * as ClaimWatermark from "./ClaimWatermark.ts"
import * as CallRequests from "../call/CallRequests.ts"

/** Candidates beyond the free lines in the first page: so many may be held or ended without a second page. */
const spare = 8

/** Where a page starts within a priority: after the last candidate of the previous page. */
export interface Cursor {
  readonly priority: number
  readonly dueAt: string
  readonly id: string
}

/** Single calls are claimed before those of batches. */
export const beginnings: ReadonlyArray<Cursor> = [0, 1].map((priority) => ({ priority, dueAt: "-infinity", id: "" }))

/** A candidate; if it could not be locked, only its position. */
export type PickedRow = (LockedRow | { readonly [K in keyof LockedRow]: null }) & {
  readonly picked_id: Ids.CallId
  readonly picked_priority: number
  readonly picked_due_at: Date
}

interface LockedRow extends CallRows.CallRow {
  /** Its number was dialed before, or is on the do-not-call list. */
  readonly is_known: boolean
}

/** A candidate, or nulls if nothing is due. The first row also has the rest as JSON. */
type CandidateRow = (PickedRow | { readonly [K in keyof PickedRow]: null }) & {
  readonly standing: AccountSnapshotJson | null
  readonly lanes: ReadonlyArray<LaneJson> | null
}

type Instants = "blocked_until" | "created_at" | "day_started_at" | "live_since"
type AccountSnapshotJson =
  & Omit<ReadDialFacts.AccountSnapshotRow, Instants>
  & {
    readonly [K in Instants]: ReadDialFacts.AccountSnapshotRow[K] extends Date ? string : string | null
  }

interface LaneJson {
  readonly lane: Lane.Lane
  readonly is_planned: boolean
  readonly until: string | null
}

const toDate = (text: string) => DateTime.toDateUtc(DateTime.makeUnsafe(text))

const toSnapshotRow = (json: AccountSnapshotJson): ReadDialFacts.AccountSnapshotRow => ({
  ...json,
  blocked_until: json.blocked_until === null ? null : toDate(json.blocked_until),
  created_at: toDate(json.created_at),
  day_started_at: json.day_started_at === null ? null : toDate(json.day_started_at),
  live_since: json.live_since === null ? null : toDate(json.live_since)
})

const toWaiting = ({ is_planned, lane, until }: LaneJson): Lanes.Waiting => ({
  lane,
  isPlanned: is_planned,
  closedUntil: until === null ? undefined : DateTime.makeUnsafe(until)
})

const isPicked = (row: CandidateRow): row is CandidateRow & PickedRow => row.picked_id !== null

/** The size of the first page: the calls that may be dialed, and some that may not. */
export const pageSize = ({ limit }: Storage.ClaimOptions, free: number) => Math.max(1, Math.min(limit, free)) + spare

export const make = ({ sql }: Database) => {
  /**
   * Locks the candidate `p`; no row if it is locked already, as it is leaving the queue. Indexes: primary keys;
   * outdial_calls_dials, with a limit as in `ReadDialFacts`.
   */
  const locked = (accountId: Ids.AccountId): Statement.Fragment =>
    sql`
      select c.*, q.*, coalesce((
        select true
        from outdial_calls as d
        where d.account_id = ${accountId}
          and d.phone_number = c.phone_number
          and d.dialed_at is not null
        limit 1
      ), (
        select true
        from outdial_do_not_call as d
        where d.account_id = ${accountId}
          and d.phone_number = c.phone_number
        limit 1
      ), false) as is_known
      from outdial_calls as c
      ${CallRequests.join(sql, accountId)}
      where c.account_id = ${accountId}
        and c.id = p.id
        and case when c.status = 'queued' then true end
      for no key update of c skip locked`

  /**
   * The account's snapshot, its lanes, and the first page of those that are planned and not known to be closed. The account must
   * be locked by an earlier statement, so that this one's snapshot follows the lock.
   */
  const read = (
    { accountId, limit, now, timeZoneData }: Storage.ClaimOptions,
    [single, batch]: ClaimWatermark.QueueStart
  ) => {
    const from = single < batch ? single : batch
    const most = sql`
      select greatest(1, least(${limit}, s.lines - s.lines_in_use)) + ${spare}
      from standing as s`
    // Indexes: primary keys; outdial_calls_due, in its order once for each lane and priority. No plan depends on its values, and
    // planning it takes longer than running it, so the generic plan is kept.
    return Effect.flatMap(
      sql<CandidateRow>`
        with recursive standing as materialized (
          select ${ReadDialFacts.columns(sql, accountId, now)}, d.time_zone_version
          from outdial_accounts as a
          join outdial_dial_switches as g on g.account_id = a.id
          join outdial_deployment as d on d.id = 1
          where a.id = ${accountId}
        ), lanes as (
          ${Lanes.first(sql, sql`${accountId}`, from)}
          union all
          ${Lanes.next(sql, sql`${accountId}`, from)}
        ), waiting as materialized (
          select w.lane, w.until, w.is_planned or starts_with(
            w.lane,
            (select s.plan_version from standing as s) || ${timeZoneData === undefined ? "|" : `@${timeZoneData}|`}
          ) as is_planned
          from (${Lanes.described(sql, accountId, sql`standing as a cross join standing as d`)}) as w
        ), picked as materialized (
          select p.id, p.priority, p.due_at
          from waiting as l
          cross join (values (0, ${single}::timestamptz), (1, ${batch}::timestamptz)) as q (priority, due_from)
          cross join lateral (
            select c.id, c.priority, c.due_at
            from outdial_calls as c
            where c.account_id = ${accountId}
              and c.stage = 'queued'
              and c.lane = l.lane
              and c.priority = q.priority
              and c.due_at <= ${DateTime.toDateUtc(now)}
              and c.due_at >= q.due_from
            order by c.due_at, c.id
            limit (${most})
          ) as p
          where l.is_planned
            and (l.until is null or l.until <= ${DateTime.toDateUtc(now)})
          order by p.priority, p.due_at, p.id
          limit (${most})
        ), first as materialized (
          select row_to_json(s) as standing, (select json_agg(w) from waiting as w) as lanes, (
            select p.id
            from picked as p
            limit 1
          ) as id
          from standing as s
        )
        select c.*, p.id as picked_id, p.priority as picked_priority, p.due_at as picked_due_at, f.standing, f.lanes
        from picked as p
        left join lateral (
          ${locked(accountId)}
        ) as c on true
        full join first as f on f.id = p.id
        order by p.priority, p.due_at, p.id`,
      (rows) => {
        const [first] = rows
        if (first?.standing === null || first?.standing === undefined) {
          return Effect.die(new Error(`There is no account ${accountId}`))
        }
        return Effect.succeed({
          standing: toSnapshotRow(first.standing),
          lanes: (first.lanes ?? []).map(toWaiting),
          page: rows.filter(isPicked)
        })
      }
    )
  }

  /** The page after these cursors. */
  const page = (options: {
    readonly accountId: Ids.AccountId
    readonly now: DateTime.Utc
    readonly lanes: ReadonlyArray<Lane.Lane>
    readonly after: ReadonlyArray<Cursor>
    readonly limit: number
  }) =>
    // Index: outdial_calls_due, in its order once for each lane and priority. Rows that are locked show how far it went.
    sql<PickedRow>`
      with picked as materialized (
        select p.id, p.priority, p.due_at
        from unnest(${options.lanes}::text[]) as l (lane)
        cross join unnest(
          ${options.after.map(({ priority }) => priority)}::int[],
          ${options.after.map(({ dueAt }) => dueAt)}::timestamptz[],
          ${options.after.map(({ id }) => id)}::text[]
        ) as a (priority, due_at, id)
        cross join lateral (
          select c.id, c.priority, c.due_at
          from outdial_calls as c
          where c.account_id = ${options.accountId}
            and c.stage = 'queued'
            and c.lane = l.lane
            and c.priority = a.priority
            and c.due_at <= ${DateTime.toDateUtc(options.now)}
            and (c.due_at, c.id) > (a.due_at, a.id)
          order by c.due_at, c.id
          limit ${options.limit}
        ) as p
        order by p.priority, p.due_at, p.id
        limit ${options.limit}
      )
      select c.*, p.id as picked_id, p.priority as picked_priority, p.due_at as picked_due_at
      from picked as p
      left join lateral (
        ${locked(options.accountId)}
      ) as c on true
      order by p.priority, p.due_at, p.id`

  return { page, read }
}
