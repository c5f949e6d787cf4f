/** What has held a call. Calls of before this migration have no history but their latest hold. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table outdial_calls add column holds json`

  // Holds of many calls, which are added to the history of a call when it is written the next time.
  yield* sql`alter table outdial_closed_lanes add column since timestamptz(3)`
  yield* sql`
    alter table outdial_accounts
      add column waits_for text,
      add column waits_since timestamptz(3)`
})
