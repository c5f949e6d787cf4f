/** The lanes with queued calls, found with one index step each whatever the number of calls, and when they reopen. */
import { type DialDecision, HoldPeriods, type Ids, type Lane } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"

/** The first lane of the account, where the recursion over `lanes` begins. Index: outdial_calls_due. */
export const first = (sql: SqlClient.SqlClient, accountId: Statement.Fragment): Statement.Fragment =>
  sql`(
    select c.lane
    from outdial_calls as c
    where c.account_id = ${accountId}
      and c.stage = 'queued'
    order by c.lane
    limit 1
  )`

/** The last lane of the account. Index: outdial_calls_due, backwards. */
export const last = (sql: SqlClient.SqlClient, accountId: Statement.Fragment): Statement.Fragment =>
  sql`(
    select c.lane
    from outdial_calls as c
    where c.account_id = ${accountId}
      and c.stage = 'queued'
    order by c.lane desc
    limit 1
  )`

/**
 * The prefix of lanes of the current plan, as in `Lane.planned`; `a` is the account and `d` the deployment. The column has the whole version of the
 * plan data; it is older than routes.
 */
export const planned = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(a.plan_version || coalesce('@' || d.time_zone_version, '') || '|')`

/** Whether the adopted plan data `d` have routes, as in `PlanData.hasRoutes`. */
export const areRoutesAdopted = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(coalesce(d.time_zone_version, '') like '%>%')`

/** The lane after each. Index: outdial_calls_due. */
export const next = (sql: SqlClient.SqlClient, accountId: Statement.Fragment): Statement.Fragment =>
  sql`
    select n.lane
    from lanes as l
    cross join lateral (
      select c.lane
      from outdial_calls as c
      where c.account_id = ${accountId}
        and c.stage = 'queued'
        and c.lane > l.lane
      order by c.lane
      limit 1
    ) as n`

/** The carrier that the lane of this expression names, as `Lane.carrierOf` reads it. */
export const carrierOf = (sql: SqlClient.SqlClient, lane: Statement.Fragment): Statement.Fragment =>
  sql`substring(${lane} from '^[^|]*[|]>([^,;|]+)[^|]*[|]')`

/** Whether the lane of this expression has failed over, as `Lane.isFailedOver` reads it. */
export const isFailedOver = (sql: SqlClient.SqlClient, lane: Statement.Fragment): Statement.Fragment =>
  sql`(${lane} ~ '^[^|]*[|]>[^|;]*;[^|]*[|]')`

/** A lane with queued calls. */
export interface Waiting {
  readonly lane: Lane.Lane
  readonly isPlanned: boolean
  /** Whether the current plan has routes. */
  readonly areRoutesAdopted: boolean
  /** Until when it is closed, or was. */
  readonly closedUntil: DateTime.Utc | undefined
  readonly periods: HoldPeriods.HoldPeriods
}

/** What has held the calls of each lane. */
export const periodsOf = (lanes: ReadonlyArray<Waiting>): HoldPeriods.SharedPeriods["lanes"] =>
  new Map(lanes.map(({ lane, periods }) => [lane, periods]))

interface WaitingRow {
  readonly lane: Lane.Lane
  readonly is_planned: boolean
  readonly are_routes_adopted: boolean
  readonly until: Date | null
  readonly hold_periods: SharedPeriods.PeriodRows
}

export const make = ({ sql }: Database) => ({
  /** The lanes with queued calls, whether each belongs to the current plan, and until when it is closed. */
  waiting: (accountId: Ids.AccountId) =>
    // Indexes: outdial_calls_due, one step for each lane; primary keys. A plain read.
    Effect.map(
      sql<WaitingRow>`
        with recursive lanes as (
          ${first(sql, sql`${accountId}`)}
          union all
          ${next(sql, sql`${accountId}`)}
        )
        select l.lane, starts_with(l.lane, ${planned(sql)}) as is_planned, ${
        areRoutesAdopted(sql)
      } as are_routes_adopted, k.until, k.hold_periods
        from lanes as l
        join outdial_accounts as a on a.id = ${accountId}
        join outdial_deployment as d on d.id = 1
        left join outdial_closed_lanes as k on k.account_id = ${accountId} and k.lane = l.lane`,
      (rows) =>
        rows.map(({ are_routes_adopted, hold_periods, is_planned, lane, until }): Waiting => ({
          lane,
          isPlanned: is_planned,
          areRoutesAdopted: are_routes_adopted,
          closedUntil: until === null ? undefined : DateTime.fromDateUnsafe(until),
          periods: SharedPeriods.toPeriods(hold_periods)
        }))
    ),

  /** Stores that lanes are closed since now, with their periods of before. */
  close: (
    { accountId, now, periods }: {
      readonly accountId: Ids.AccountId
      readonly now: DateTime.Utc
      readonly periods: HoldPeriods.SharedPeriods["lanes"]
    },
    closed: ReadonlyMap<Lane.Lane, DialDecision.LaneHold>
  ) =>
    // Index: primary key.
    closed.size === 0 ? Effect.void : Effect.asVoid(sql`
      insert into outdial_closed_lanes (account_id, lane, until, hold_periods)
      select ${accountId}, r.lane, r.until, r.hold_periods
      from json_to_recordset(${
      JSON.stringify([...closed].map(([lane, hold]) => ({
        lane,
        until: DateTime.formatIso(hold.until),
        hold_periods: HoldPeriods.after(periods.get(lane) ?? [], hold, now)
      })))
    }::json) as r (lane text, until timestamptz, hold_periods json)
      on conflict (account_id, lane) do update
      set until = excluded.until,
        hold_periods = excluded.hold_periods`)
})
