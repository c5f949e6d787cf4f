/** The running processes, so that operators see whether any node dials. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Belongs to no account. A few rows, each written every ten seconds: half of each page is kept free, so that updates
  // stay in it.
  yield* sql`
    create table outdial_workers (
      id text collate "C" primary key,
      name text,
      version text not null,
      runs json not null,
      started_at timestamptz(3) not null,
      seen_at timestamptz(3) not null
    ) with (fillfactor = 50)`
})
