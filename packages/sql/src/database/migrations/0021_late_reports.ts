/** What tells the late reports of a call from those of another, or from those that no longer count. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // The instant is text: see `0010_conversations`.
  yield* sql`
    alter table outdial_calls
      add column ended_carrier_call_id text,
      add column transferred_at text`
})
