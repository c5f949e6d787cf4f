/** Reads deliveries and their attempts. `DeliveryStore` writes both. */
import { Ids, type Storage } from "@outdial/core"
import { Array, Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import * as Paging from "../database/Paging.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

export const make = (database: Database): Pick<Storage.DeliveryStore["Service"], "get" | "list"> => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "d" })
  const shownState = EventRows.stateOf(database)
  const isInState = EventRows.isStored(database)

  /** Deliveries that match one of the sets of conditions. */
  const select = (
    accountId: Ids.AccountId,
    alternatives: Array.NonEmptyReadonlyArray<ReadonlyArray<Statement.Fragment>>,
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
    // Indexes of the inner parts: by their conditions, see below. Then the primary keys of events and the endpoint.
    return sql<EventRows.DeliveryRow>`
      select d.id, d.event_id, e.call_id, e.batch_id, e.type, ${shownState} as state, d.due_at, d.created_at, d.log
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
    // Index: primary key.
    ...(eventId === undefined ? [] : [sql`d.id = ${Ids.deliveryId(eventId)}`]),
    // Indexes: primary keys, of the call's few events and then of their deliveries.
    ...(callId === undefined ? [] : [sql`
      d.id = any(array(
        select ${EventRows.deliveryOf(sql, sql`e.id`)}
        from outdial_events as e
        where e.account_id = ${accountId}
          and ${EventRows.isOfCall(sql, callId)}
      ))`])
  ]

  const isIn = (accountId: Ids.AccountId, state: Storage.DeliveryState): ReadonlyArray<Statement.Fragment> => {
    if (state === "held") return [isInState("pending"), isDisabled(accountId)]
    return state === "pending" ? [isInState(state), sql`not ${isDisabled(accountId)}`] : [isInState(state)]
  }

  /** Sets of conditions, each with an index in the list's order: one set for each state. */
  const alternatives = (
    accountId: Ids.AccountId,
    { callId, eventId, states = [] }: Storage.DeliveryFilter
  ): Array.NonEmptyReadonlyArray<ReadonlyArray<Statement.Fragment>> => {
    const wanted = [...new Set(states)]
    if (Array.isArrayNonEmpty(wanted)) return Array.map(wanted, (state) => isIn(accountId, state))
    return callId === undefined && eventId === undefined
      ? Array.map(EventRows.storedStates, (state) => [isInState(state)])
      : [[]]
  }

  return {
    get: Effect.fn("DeliveryStore.get")((accountId, id) =>
      // Index: primary key.
      statement(Effect.map(
        select(accountId, [[sql`d.id = ${id}`]], 1),
        ([row]) => Option.map(Option.fromUndefinedOr(row), EventRows.toDelivery)
      ))
    ),

    list: Effect.fn("DeliveryStore.list")(({ accountId, filter, page }) => {
      const shared = [paging.isList, ...conditions(accountId, filter), ...paging.behind(page, filter)]
      return statement(Effect.map(
        PlannerHints.plannedEachTime(select(
          accountId,
          Array.map(alternatives(accountId, filter), (conditions) => [...shared, ...conditions]),
          paging.limit(page)
        )),
        (rows) => Paging.toPage(rows, page, EventRows.toDelivery)
      ))
    })
  }
}
