/** The carrier that a call was claimed for. Calls from before have none: they belong to the carrier of whichever node finds them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table outdial_calls add column carrier text`
})
