/** Ended calls whose carrier has not said yet what it charges. */
import { type Ids, LazySpan, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

interface Row {
  readonly id: Ids.CallId
  readonly ended_carrier_call_id: Ids.CarrierCallId
  readonly ended_at: Date
}

export const make = ({ sql, statement }: Database): Pick<Storage.CallStore["Service"], "withoutCost"> => ({
  withoutCost: LazySpan.fn("CallStore.withoutCost")(({ accountId, carrier, dialedAfter, limit }) =>
    // Index: outdial_calls_dialed.
    statement(Effect.map(
      PlannerHints.plannedEachTime(sql<Row>`
        select c.id, c.ended_carrier_call_id, c.ended_at
        from outdial_calls as c
        where c.account_id = ${accountId}
          and ${PlannerHints.wasDialed(sql)}
          and c.dialed_at > ${DateTime.toDateUtc(dialedAfter)}
          and c.carrier = ${carrier}
          and c.ended_at is not null
          and c.ended_carrier_call_id is not null
          and c.cost is null
        order by c.dialed_at
        limit ${limit}`),
      (rows) =>
        rows.map(({ ended_at, ended_carrier_call_id: carrierCallId, id: callId }) => ({
          accountId,
          callId,
          carrierCallId,
          endedAt: DateTime.fromDateUnsafe(ended_at)
        }))
    ))
  )
})
