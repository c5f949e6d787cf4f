/** What carriers charge for calls, and for the calls of each day. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table outdial_calls add column cost json`
  yield* sql`alter table outdial_usage add column costs json`
})
