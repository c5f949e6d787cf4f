/** The recordings of calls that must have none, until their files are removed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table outdial_unwanted_recordings (
      account_id text collate "C" not null,
      call_id text collate "C" not null,
      primary key (account_id, call_id)
    )`
})
