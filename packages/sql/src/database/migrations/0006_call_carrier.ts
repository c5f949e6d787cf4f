/** The carrier that a call was claimed for. Earlier calls have none: any node handles them with its own carrier. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table outdial_calls add column carrier text`
})
