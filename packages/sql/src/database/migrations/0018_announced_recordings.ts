/** Until when the event of a completed call waits for the recording that its carrier has announced. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Text, so that it moves no column behind the transcript: see `0010_conversations`. The constraints are not validated, because no row
  // breaks them: a validation would read the whole table under a lock.
  yield* sql`
    alter table outdial_calls
      add column recording_due_at text,
      drop constraint outdial_calls_outcome,
      add constraint outdial_calls_outcome check (
        outcome_state in ('none', 'pending', 'awaiting_recording', 'stored', 'given_up')
        and (status = 'completed') = (outcome_state <> 'none')
        and (outcome_state in ('pending', 'awaiting_recording')) = (outcome_due_at is not null)
        and (outcome_state <> 'stored' or outcome is not null)
        and (outcome_state in ('stored', 'awaiting_recording') or outcome is null)
        and (outcome_state in ('pending', 'awaiting_recording') or outcome_token is null)
        and (outcome_token is null or outcome_lease_until is not null)
      ) not valid,
      add constraint outdial_calls_recording check (
        recording_due_at is null or line_ended_at is not null or outcome_state in ('pending', 'awaiting_recording')
      ) not valid`
})
