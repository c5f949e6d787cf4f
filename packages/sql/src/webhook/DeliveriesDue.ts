/**
 * Which accounts have deliveries due for their endpoint, and since when. Finds accounts with open deliveries, with one index
 * step each; most accounts with an endpoint have nothing to send.
 */
import { type Ids, Limits } from "@outdial/core"
import type { SqlClient, Statement } from "effect/sql"
import * as EventRows from "../event/EventRows.ts"

/** A range of account ids. */
export interface Range {
  readonly after?: Ids.AccountId
  readonly upTo?: Ids.AccountId
}

/** The accounts after `after`, then the others, with something to send by `by`; stops when there are enough. */
export const inTurn = (
  sql: SqlClient.SqlClient,
  { after, by, limit }: { readonly after: Ids.AccountId; readonly by: Date; readonly limit: number }
): Statement.Fragment => {
  const due = (range: Range) =>
    sql`
      select w.account_id
      from (${inRange(sql, range)}) as w
      where w.due_at <= ${by}
      limit ${limit}`
  // May read every account with open deliveries, by the indexes of `inRange`.
  return sql`
    (${due({ after })})
    union all
    (${due({ upTo: after })})
    limit ${limit}`
}

/**
 * Accounts with something to send, in the order of their ids, and when it is due. With a limit it reads no further than
 * needed, because the steps are nested.
 */
export const inRange = (sql: SqlClient.SqlClient, { after, upTo }: Range = {}): Statement.Fragment => {
  // Index: outdial_deliveries_open, the first row after an account.
  const first = (behind: Statement.Fragment) =>
    sql`
          select d.account_id
          from outdial_deliveries as d
          where d.state in ('pending', 'sending')
            and d.account_id > ${behind}
            ${upTo === undefined ? sql`` : sql`and d.account_id <= ${upTo}`}
          order by d.account_id
          limit 1`
  // Index: outdial_deliveries_sending, its end.
  const lastLease = sql`(
                select s.due_at
                from outdial_deliveries as s
                where s.account_id = o.account_id
                  and s.subscriber = ${EventRows.webhook}
                  and s.state = 'sending'
                order by s.due_at desc
                limit 1
              )`
  // Indexes: primary key of the endpoints; outdial_deliveries_open, one row each, and outdial_deliveries_sending, up to the
  // maximum in flight: prefetched deliveries are not read. With the maximum in flight, the next is due when a lease runs
  // out. While a breaker is open, something is due when its pause ends, and nothing else is in flight.
  return sql`
        with recursive owners as (
          (${first(sql`${after ?? ""}`)})
          union all
          select n.account_id
          from owners as o
          cross join lateral (${first(sql`o.account_id`)}) as n
        )
        select o.account_id, due.due_at
        from owners as o
        cross join lateral (
          select w.open_until
          from outdial_webhooks as w
          where w.account_id = o.account_id
            and w.enabled
          limit 1
        ) as w
        cross join lateral (
          select count(*) as sending, min(f.due_at) as first_lease
          from (
            select d.due_at
            from outdial_deliveries as d
            where d.account_id = o.account_id
              and d.subscriber = ${EventRows.webhook}
              and d.state = 'sending'
            order by d.due_at
            limit ${Limits.deliveriesInFlight}
          ) as f
        ) as flight
        cross join lateral (
          select case
            when w.open_until is null and flight.sending >= ${Limits.deliveriesInFlight}::int
            then flight.first_lease
            else (
              select case when w.open_until is null then d.due_at else greatest(w.open_until, ${lastLease}) end
              from outdial_deliveries as d
              where d.account_id = o.account_id
                and d.subscriber = ${EventRows.webhook}
                and d.state in ('pending', 'sending')
              order by d.due_at
              limit 1
            )
          end as due_at
        ) as due
        where due.due_at is not null`
}
