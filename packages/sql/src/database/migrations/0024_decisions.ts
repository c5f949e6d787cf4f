/** What the rules decided from when a call was dialed, or expired. Calls of before this migration have none. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table outdial_calls add column decision json`
})
