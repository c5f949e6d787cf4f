/** The accounts `account_id` with calls to dial, to replan, to expire or to look up, and when the earliest is due. */
import type { Ids, Storage } from "@outdial/core"
import { DateTime } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as PlannerHints from "../database/PlannerHints.ts"
import * as PausedCarriers from "../telephony/PausedCarriers.ts"
import * as Lanes from "./Lanes.ts"

/** Those of the calls `c` that a node with these carriers handles; all calls if not given. */
export const isOfCarriers = (
  sql: SqlClient.SqlClient,
  carriers: ReadonlyArray<Ids.CarrierName> | undefined
): Statement.Fragment =>
  // A call without a carrier belongs to any node that has one.
  carriers === undefined ? sql`true` : sql`coalesce(c.carrier, ${carriers[0] ?? null}) = any(${carriers}::text[])`

type DialsFrom = ReadonlyMap<Ids.CarrierName, DateTime.Utc>

/** Which lanes `l` of an account can be dialed. */
export interface Dialable {
  readonly isOpen: Statement.Fragment
  /** When the calls of the lane can be dialed at the earliest; null when that is not known. */
  readonly from?: Statement.Fragment
}

/** The lanes that a node with these carriers can dial or plan again; all lanes without any. `a` is the account and `d` the deployment. */
export const dialableOver = (
  sql: SqlClient.SqlClient,
  { carriers, dialsFrom = new Map(), hasRoutes = false }: Storage.DueOptions & { readonly dialsFrom?: DialsFrom }
): Dialable => {
  const [first] = carriers ?? []
  if (carriers === undefined || first === undefined) return { isOpen: sql`true` }
  const named = Lanes.carrierOf(sql, sql`l.lane`)
  const carrier = sql`coalesce(${named}, ${first})`
  // The claim moves calls that have failed over to a carrier that is paused.
  const isOver = sql`${carrier} = any(${carriers}::text[])
    and (not ${PausedCarriers.isPaused(sql, carrier)} or ${Lanes.isFailedOver(sql, sql`l.lane`)})`
  const isOpen = hasRoutes
    ? sql`(${named} is null or ${isOver})`
    : sql`${isOver}
    and (not ${Lanes.areRoutesAdopted(sql)} or (${named} is not null and starts_with(l.lane, ${Lanes.planned(sql)})))`
  if (dialsFrom.size === 0) return { isOpen }
  return {
    isOpen,
    from: sql`(
      select f.at
      from unnest(${[...dialsFrom.keys()]}::text[], ${
      [...dialsFrom.values()].map(DateTime.formatIso)
    }::timestamptz[]) as f (name, at)
      where f.name = ${carrier}
    )`
  }
}

/** The lanes whose calls wait for no paused carrier. */
export const dialableByAny = (sql: SqlClient.SqlClient, now: DateTime.Utc): Dialable => {
  const carrier = Lanes.carrierOf(sql, sql`l.lane`)
  return {
    isOpen: sql`case
      when ${carrier} is null then not ${PausedCarriers.isDialingPaused(sql, now)}
      else not ${PausedCarriers.isPaused(sql, carrier)}
    end`
  }
}

/**
 * Calls that can be dialed: of all accounts, or of those that are not blocked `by` an instant. A call that cannot be dialed is not work;
 * otherwise a full queue would always be due.
 */
export const dials = (
  sql: SqlClient.SqlClient,
  { by, dialable: { from, isOpen } }: { readonly by?: Date; readonly dialable: Dialable }
): Statement.Fragment =>
  // Index: outdial_calls_due, one row per account, lane and priority; outdial_calls_lines for the lines in use.
  sql`
    select a.id as account_id, greatest(due.due_at, a.blocked_until) as due_at
    from outdial_accounts as a
    join outdial_dial_switches as g on g.account_id = a.id
    join outdial_deployment as d on d.id = 1
    cross join lateral (
      with recursive lanes as (
        ${Lanes.first(sql, sql`a.id`)}
        union all
        ${Lanes.next(sql, sql`a.id`)}
      )
      select min(greatest(first.due_at, k.until${from === undefined ? sql`` : sql`, ${from}`})) as due_at
      from lanes as l
      left join outdial_closed_lanes as k on k.account_id = a.id and k.lane = l.lane
      cross join (values (0), (1)) as p (priority)
      cross join lateral (
        select c.due_at
        from outdial_calls as c
        where c.account_id = a.id
          and c.stage = 'queued'
          and c.lane = l.lane
          and c.priority = p.priority
        order by c.due_at
        limit 1
      ) as first
      where ${isOpen}
    ) as due
    where not g.paused
      and not d.paused
      and due.due_at is not null
      ${by === undefined ? sql`` : sql`and (a.blocked_until is null or a.blocked_until <= ${by})`}
      and a.lines > (
        select count(*)
        from outdial_calls as c
        where c.account_id = a.id
          and c.stage = 'live'
      )`

/** Calls that were planned by an earlier policy or by other plan data, such as other routes. Always due, because replanning waits for no instant. */
export const plans = (sql: SqlClient.SqlClient): Statement.Fragment =>
  // Index: outdial_calls_due, from both ends: the lanes of one plan are adjacent, so all belong to it if the first and the
  // last do.
  sql`
    select a.id as account_id, a.created_at as due_at
    from outdial_accounts as a
    join outdial_deployment as d on d.id = 1
    cross join lateral ${Lanes.first(sql, sql`a.id`)} as low
    cross join lateral ${Lanes.last(sql, sql`a.id`)} as high
    where not starts_with(low.lane, ${Lanes.planned(sql)})
      or not starts_with(high.lane, ${Lanes.planned(sql)})`

/** Queued calls that expire. */
export const expiries = (sql: SqlClient.SqlClient): Statement.Fragment =>
  // Index: outdial_calls_expiry, one row per account.
  sql`
    select a.id as account_id, due.expires_at as due_at
    from outdial_accounts as a
    cross join lateral (
      select c.expires_at
      from outdial_calls as c
      where c.account_id = a.id
        and ${PlannerHints.isQueued(sql)}
      order by c.expires_at
      limit 1
    ) as due`

/** Live calls of these carriers, or of all, whose lease runs out. A call whose line has ended needs no carrier. */
export const leases = (
  sql: SqlClient.SqlClient,
  carriers: ReadonlyArray<Ids.CarrierName> | undefined
): Statement.Fragment =>
  // Index: outdial_calls_lines, which has only live calls.
  sql`
    select a.id as account_id, first.due_at
    from outdial_accounts as a
    cross join lateral (
      select min(c.lease_until) as due_at
      from outdial_calls as c
      where c.account_id = a.id
        and c.stage = 'live'
        and (c.line_ended_at is not null or ${isOfCarriers(sql, carriers)})
    ) as first
    where first.due_at is not null`
