/**
 * The lanes of an account in which calls wait: one step down the index for each, however many calls there are. Also what is
 * known of them being closed.
 */
import type { Ids, Lane } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Database } from "./Database.ts"

/** The first lane of the account: where the recursion over `lanes` begins. Index: outdial_calls_due. */
export const first = (sql: SqlClient.SqlClient, accountId: Statement.Fragment): Statement.Fragment =>
  sql`(
    select c.lane
    from outdial_calls as c
    where c.account_id = ${accountId}
      and c.status = 'queued'
    order by c.lane
    limit 1
  )`

/** The lane behind each. Index: outdial_calls_due. */
export const next = (sql: SqlClient.SqlClient, accountId: Statement.Fragment): Statement.Fragment =>
  sql`
    select n.lane
    from lanes as l
    cross join lateral (
      select c.lane
      from outdial_calls as c
      where c.account_id = ${accountId}
        and c.status = 'queued'
        and c.lane > l.lane
      order by c.lane
      limit 1
    ) as n`

export const make = ({ sql }: Database) => ({
  /** The lanes in which calls wait, each with the instant until which it was found closed. */
  waiting: (accountId: Ids.AccountId) =>
    Effect.map(
      sql<{ readonly lane: Lane.Lane; readonly until: Date | null }>`
        with recursive lanes as (
          ${first(sql, sql`${accountId}`)}
          union all
          ${next(sql, sql`${accountId}`)}
        )
        select l.lane, k.until
        from lanes as l
        left join outdial_closed_lanes as k on k.account_id = ${accountId} and k.lane = l.lane`,
      (rows) =>
        rows.map(({ lane, until }) => ({
          lane,
          ...(until !== null && { closedUntil: DateTime.fromDateUnsafe(until) })
        }))
    ),

  /** Notes until when lanes are closed. */
  close: (accountId: Ids.AccountId, lanes: ReadonlyArray<{ readonly lane: Lane.Lane; readonly until: DateTime.Utc }>) =>
    lanes.length === 0 ? Effect.void : Effect.asVoid(sql`
      insert into outdial_closed_lanes (account_id, lane, until)
      select ${accountId}, r.lane, r.until
      from json_to_recordset(${
      JSON.stringify(lanes.map(({ lane, until }) => ({ lane, until: DateTime.formatIso(until) })))
    }::json) as r (lane text, until timestamptz)
      on conflict (account_id, lane) do update
      set until = excluded.until`)
})
