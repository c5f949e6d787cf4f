/** What held a call when it expired. Calls that expired before this migration have none. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table outdial_calls
      add column held_by text,
      add column held_until timestamptz(3)`
})
