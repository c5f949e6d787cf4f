/** The state of carriers that all nodes share: which slots of their calls per second were taken last. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Belongs to no account. A few rows, each written for every dial of a carrier with a limit: half of each page is kept free, so that
  // updates stay in it.
  yield* sql`
    create table outdial_carriers (
      name text collate "C" primary key,
      calls_per_second float8,
      slots_taken_at timestamptz(3),
      slots_taken int not null default 0,
      constraint outdial_carriers_calls_per_second check (calls_per_second > 0),
      constraint outdial_carriers_slots_taken check (slots_taken >= 0)
    ) with (fillfactor = 50)`
})
