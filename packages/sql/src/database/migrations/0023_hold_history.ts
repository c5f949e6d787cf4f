/** What has held a call. Calls of before this migration have no history but their latest hold. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // What holds many calls: a call gets copies when it is written the next time. The tables are locked in the order of claims.
  yield* sql`alter table outdial_accounts add column hold_periods json`
  yield* sql`alter table outdial_deployment add column hold_periods json`
  yield* sql`alter table outdial_closed_lanes add column hold_periods json`
  yield* sql`alter table outdial_calls add column holds json`
})
