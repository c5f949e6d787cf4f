/** Pages of due calls, in the order in which they are claimed. The calls of a page are locked. */
import type { Ids, Lane } from "@outdial/core"
import { DateTime } from "effect"
import * as CallRequests from "../call/CallRequests.ts"
import type * as CallRows from "../call/CallRows.ts"
import type { Database } from "../database/Database.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

/** Where a page starts within a priority: after the last candidate of the previous page. */
export interface Cursor {
  readonly priority: number
  readonly dueAt: string
  readonly id: string
}

/** Single calls are claimed before those of batches. */
export const beginnings: ReadonlyArray<Cursor> = [0, 1].map((priority) => ({ priority, dueAt: "-infinity", id: "" }))

/** A candidate; if it could not be locked, only its position. */
export type Candidate = (LockedRow | { readonly [K in keyof LockedRow]: null }) & {
  readonly picked_id: Ids.CallId
  readonly picked_priority: number
  readonly picked_due_at: Date
}

interface LockedRow extends CallRows.CallRow {
  /**
   * Whether its number was dialed before or is on the do-not-call list. Nothing else is known of the numbers of most campaigns: reading
   * the facts of every number costs 11 % of the benchmark claims-10k, whose runs differ by 2 %.
   */
  readonly is_known: boolean
}

export interface PageOptions {
  readonly accountId: Ids.AccountId
  readonly now: DateTime.Utc
  readonly lanes: ReadonlyArray<Lane.Lane>
  readonly after: ReadonlyArray<Cursor>
  readonly limit: number
}

/** The cursors after this candidate. */
export const cursorsAfter = (last: Candidate): ReadonlyArray<Cursor> => [
  { priority: last.picked_priority, dueAt: last.picked_due_at.toISOString(), id: last.picked_id },
  ...beginnings.filter(({ priority }) => priority > last.picked_priority)
]

export const make = ({ sql }: Database) => ({
  /** The page after these cursors. */
  page: ({ accountId, after, lanes, limit, now }: PageOptions) =>
    // Indexes: outdial_calls_due, in its order once for each lane and priority; primary keys; outdial_calls_dials. A call that is locked is leaving the
    // queue; its position shows how far the page went.
    sql<Candidate>`
      with picked as materialized (
        select p.id, p.priority, p.due_at
        from unnest(${lanes}::text[]) as l (lane)
        cross join unnest(
          ${after.map(({ priority }) => priority)}::int[],
          ${after.map(({ dueAt }) => dueAt)}::timestamptz[],
          ${after.map(({ id }) => id)}::text[]
        ) as a (priority, due_at, id)
        cross join lateral (
          select c.id, c.priority, c.due_at
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.stage = 'queued'
            and c.lane = l.lane
            and c.priority = a.priority
            and c.due_at <= ${DateTime.toDateUtc(now)}
            and (c.due_at, c.id) > (a.due_at, a.id)
          order by c.due_at, c.id
          limit ${limit}
        ) as p
        order by p.priority, p.due_at, p.id
        limit ${limit}
      )
      select c.*, p.id as picked_id, p.priority as picked_priority, p.due_at as picked_due_at
      from picked as p
      left join lateral (
        select c.*, q.*, coalesce((
          select true
          from outdial_calls as d
          where d.account_id = ${accountId}
            and d.phone_number = c.phone_number
            and d.dialed_at is not null
          ${PlannerHints.oneRow(sql)}
        ), (
          select true
          from outdial_do_not_call as d
          where d.account_id = ${accountId}
            and d.phone_number = c.phone_number
          ${PlannerHints.oneRow(sql)}
        ), false) as is_known
        from outdial_calls as c
        ${CallRequests.join(sql, accountId)}
        where c.account_id = ${accountId}
          and c.id = p.id
          and c.status = 'queued'
        for no key update of c skip locked
      ) as c on true
      order by p.priority, p.due_at, p.id`
})
