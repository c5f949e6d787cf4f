/** Which machine has answered a call, by the carrier's word. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table outdial_calls
      add column machine text,
      add constraint outdial_calls_machine check (machine in ('voicemail', 'ivr', 'fax')) not valid`
})
