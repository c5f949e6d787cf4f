/** Why carriers refused or lost calls, in their own words. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table outdial_calls add column carrier_reason json`
})
