/** Carriers over which nothing is dialed, and the carriers of each worker. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table outdial_carriers
      add column paused_at timestamptz(3),
      add column paused_by text,
      add column pause_reason json,
      add column checked_at timestamptz(3),
      add constraint outdial_carriers_paused_by check (paused_by in ('fault', 'operator')),
      add constraint outdial_carriers_pause check (
        (paused_at is null) = (paused_by is null)
        and (paused_at is not null or (pause_reason is null and checked_at is null))
      )`

  yield* sql`alter table outdial_workers add column carriers json`
})
