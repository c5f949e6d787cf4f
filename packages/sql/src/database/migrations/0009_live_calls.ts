/**
 * Drops the instant before which no live call was dialed: live calls are counted without it. Nodes of the previous version write
 * the column: stop them first.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table outdial_accounts drop column live_since`
})
