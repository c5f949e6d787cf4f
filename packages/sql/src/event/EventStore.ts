/** Reads events. They are written with the changes that they report: see `CallWriter`. */
import type { Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as EventRows from "./EventRows.ts"
import * as Feed from "./Feed.ts"
import * as Paging from "../database/Paging.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

export const make = (database: Database): Storage.EventStore["Service"] => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "e" })

  return {
    ...Feed.make(database),
    get: Effect.fn("EventStore.get")((accountId, id) =>
      // Indexes: primary keys. A plain read.
      statement(Effect.map(
        sql<EventRows.StoredEventRow>`
          select e.*, ${EventRows.stateOf(database)} as delivery_state, d.attempts as delivery_attempts
          from outdial_events as e
          left join outdial_deliveries as d
            on d.account_id = e.account_id and d.id = ${EventRows.deliveryOf(sql, sql`e.id`)}
          left join outdial_webhooks as w on w.account_id = e.account_id
          where e.account_id = ${accountId}
            and e.id = ${id}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), EventRows.toStoredEvent)
      ))
    ),

    list: Effect.fn("EventStore.list")(({ accountId, filter, page }) =>
      // Indexes: outdial_events_newest or outdial_events_type, in their order; primary key for the events of a call.
      statement(Effect.map(
        PlannerHints.plannedEachTime(sql<EventRows.EventRow>`
          select e.*
          from outdial_events as e
          where ${
          sql.and([
            sql`e.account_id = ${accountId}`,
            sql`not e.erased`,
            ...(filter.callId === undefined ? [paging.isList] : [EventRows.isOfCall(sql, filter.callId)]),
            ...(filter.type === undefined ? [] : [sql`e.type = ${filter.type}`]),
            ...paging.behind(page, filter)
          ])
        }
          order by ${paging.order}
          limit ${paging.limit(page)}`),
        (rows) => Paging.toPage(rows, page, EventRows.toEvent)
      ))
    )
  }
}
