/** Reading deliveries and what was tried: see `DeliveriesSql`, which writes both. */
import type { Ids, Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./Database.ts"
import * as EventRows from "./EventRows.ts"
import * as Paging from "./Paging.ts"

export const make = (database: Database): Pick<Storage.Storage["Service"], "getDelivery" | "listDeliveries"> => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "d" })
  const shownState = stateOf(database)

  /** Deliveries that meet one of the sets of conditions. */
  const select = (
    accountId: Ids.AccountId,
    alternatives: readonly [ReadonlyArray<Statement.Fragment>, ...ReadonlyArray<ReadonlyArray<Statement.Fragment>>],
    limit: number
  ) => {
    const first = (conditions: ReadonlyArray<Statement.Fragment>) =>
      sql`(
          select d.*
          from outdial_deliveries as d
          where ${sql.and([sql`d.account_id = ${accountId}`, sql`d.subscriber = ''`, ...conditions])}
          order by ${paging.order}
          limit ${limit}
        )`
    const [one, ...others] = alternatives
    // Indexes of the inner parts: outdial_deliveries_newest, or by their conditions, see below. Then the primary keys of
    // events, the endpoint and attempts, for each row of the page. One statement, so that state and log are of one moment.
    return sql<EventRows.DeliveryRow>`
      select d.id, d.event_id, e.call_id, e.batch_id, e.type, ${shownState} as state, d.due_at, d.created_at, l.log
      from (
        select d.*
        from (
          ${others.reduce((before, conditions) => sql`${before} union all ${first(conditions)}`, first(one))}
        ) as d
        order by ${paging.order}
        limit ${limit}
      ) as d
      join outdial_events as e on e.account_id = ${accountId} and e.id = d.event_id
      left join outdial_webhooks as w on w.account_id = ${accountId}
      cross join lateral (
        select coalesce(
          json_agg(
            json_build_object(
              'cause', t.cause,
              'at', (extract(epoch from t.attempted_at) * 1000)::bigint,
              'status_code', t.status_code,
              'error_code', t.error_code,
              'duration_ms', t.duration_ms
            )
            order by t.number
          ),
          '[]'
        ) as log
        from outdial_delivery_attempts as t
        where t.account_id = ${accountId}
          and t.delivery_id = d.id
      ) as l
      order by ${paging.order}`
  }

  // Primary key.
  const isDisabled = (accountId: Ids.AccountId) =>
    sql`exists (
      select 1
      from outdial_webhooks as h
      where h.account_id = ${accountId}
        and not h.enabled
    )`

  const conditions = (
    accountId: Ids.AccountId,
    { callId, eventId }: Storage.DeliveryFilter
  ): ReadonlyArray<Statement.Fragment> => [
    // Index: outdial_deliveries_event.
    ...(eventId === undefined ? [] : [sql`d.event_id = ${eventId}`]),
    // Index: primary key of the call's few events, then outdial_deliveries_event.
    ...(callId === undefined ? [] : [sql`
      d.event_id = any(array(
        select e.id
        from outdial_events as e
        where e.account_id = ${accountId}
          and ${EventRows.isOfCall(sql, callId)}
      ))`])
  ]

  const isIn = (accountId: Ids.AccountId, state: Storage.DeliveryState): ReadonlyArray<Statement.Fragment> => [
    // Index: outdial_deliveries_newest for what was delivered; outdial_deliveries_sending, all of it; and
    // outdial_deliveries_undelivered for the others, of which it has to be said that they are.
    sql`d.state = ${state === "held" ? "pending" : state}`,
    ...(state === "delivered" || state === "sending" ? [] : [sql`d.state <> 'delivered' and d.state <> 'sending'`]),
    ...(state === "held" ? [isDisabled(accountId)] : []),
    ...(state === "pending" ? [sql`not ${isDisabled(accountId)}`] : [])
  ]

  return {
    getDelivery: Effect.fn("Storage.getDelivery")((accountId, id) =>
      // Index: primary key.
      statement(Effect.map(
        select(accountId, [[sql`d.id = ${id}`]], 1),
        ([row]) => Option.map(Option.fromUndefinedOr(row), EventRows.toDelivery)
      ))
    ),

    listDeliveries: Effect.fn("Storage.listDeliveries")(({ accountId, filter, page }) => {
      const shared = [paging.isList, ...conditions(accountId, filter), ...paging.behind(page, filter)]
      // Each state by itself, because an index gives its order only within one.
      const [one, ...others] = [...new Set(filter.states)].map((state) => [...shared, ...isIn(accountId, state)])
      // Index: outdial_deliveries_newest, unless a filter has a better one.
      return statement(Effect.map(
        select(accountId, one === undefined ? [shared] : [one, ...others], paging.limit(page)).unprepared,
        (rows) => Paging.toPage(rows, page, EventRows.toDelivery)
      ))
    })
  }
}

/** The state of a delivery `d`, beside its endpoint `w`, as its owner sees it: what waits is held while that is disabled. */
export const stateOf = ({ sql }: Database): Statement.Fragment =>
  sql`case when d.state = 'pending' and not w.enabled then 'held' else d.state end`
