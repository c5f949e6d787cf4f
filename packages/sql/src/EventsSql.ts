/** Reading events. They are written with the changes that they tell of: see `CallWrites`. */
import type { Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import * as Rows from "./Rows.ts"

export const make = ({ sql, statement }: Database): Pick<Storage.Storage["Service"], "getEvent"> => ({
  getEvent: Effect.fn("Storage.getEvent")((accountId, id) =>
    // Indexes: primary key of events; outdial_deliveries_event. A plain read.
    statement(Effect.map(
      sql<Rows.StoredEventRow>`
        select e.*, d.state as delivery_state, d.attempts as delivery_attempts
        from outdial_events as e
        left join outdial_deliveries as d on d.account_id = e.account_id and d.event_id = e.id
        where e.account_id = ${accountId}
          and e.id = ${id}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toStoredEvent)
    ))
  )
})
