/** Until when the event of a completed call waits for the recording that its carrier has announced, and its outcome meanwhile. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // No constraint: nodes of the previous version report such a call without clearing these columns. For them its outcome is pending, so that
  // they make it again. The instant is text, so that it moves no column behind the transcript: see `0010_conversations`.
  yield* sql`
    alter table outdial_calls
      add column recording_due_at text,
      add column made_outcome json`
})
