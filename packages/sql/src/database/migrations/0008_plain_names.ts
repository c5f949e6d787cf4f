/**
 * Renames tables, columns, indexes and codes to the names in the documentation. Nodes of the previous version cannot use the
 * renamed tables: stop them first.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Codes in calls and events, before and after. */
const codes = [["number_queued_anew", "superseded"], ["nobody_spoke", "no_speech"]] as const

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table outdial_gates rename to outdial_dial_switches`
  yield* sql`alter index outdial_gates_pkey rename to outdial_dial_switches_pkey`
  yield* sql`alter table outdial_deployment rename column time_zones to time_zone_version`
  yield* sql`alter table outdial_deployment rename column time_zones_at to time_zone_adopted_at`
  yield* sql`alter table outdial_calls rename column words_forgotten to transcript_deleted`
  yield* sql`alter index outdial_calls_one_waiting rename to outdial_calls_one_queued`
  yield* sql`alter table outdial_deliveries rename column again to redeliver_requested`
  yield* sql`alter table outdial_deliveries rename constraint outdial_deliveries_again to outdial_deliveries_redeliver_requested`
  yield* sql`alter index outdial_events_unplaced rename to outdial_events_without_position`

  for (const [before, after] of codes) {
    yield* sql`update outdial_calls set status_code = ${after} where status_code = ${before}`
    // Events that are delivered or read later have the new codes.
    yield* sql`
      update outdial_events
      set body = replace(body, ${`"status_code":"${before}"`}, ${`"status_code":"${after}"`})
      where strpos(body, ${`"status_code":"${before}"`}) > 0`
  }
})
