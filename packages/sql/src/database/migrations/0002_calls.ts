/**
 * Calls and batches. Every key of a table that grows with calls begins with `account_id`, so that the schema can be
 * sharded by account. Constraints repeat the rules of the state machine; they catch bugs and decide nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* createCalls(sql)
  yield* createRequests(sql)

  yield* sql`
    create table outdial_batches (
      account_id text collate "C" not null,
      id text collate "C" not null,
      agent_id text collate "C",
      test boolean not null,
      accepted_count int not null check (accepted_count >= 0),
      rejected json not null,
      created_at timestamptz(3) not null,
      primary key (account_id, id)
    )`
  yield* sql`
    create index outdial_batches_newest
    on outdial_batches (account_id, created_at desc, id desc)
    where created_at > '-infinity'`

  yield* sql`
    create table outdial_idempotency_keys (
      account_id text collate "C" not null,
      route text collate "C" not null check (route in ('calls', 'batches')),
      key text collate "C" not null,
      fingerprint text not null,
      resource_id text not null,
      created_at timestamptz(3) not null,
      primary key (account_id, route, key)
    )`
  yield* sql`
    create index outdial_idempotency_keys_oldest
    on outdial_idempotency_keys (account_id, created_at)`
})

const createCalls = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  // No foreign keys: accounts and agent versions are never deleted, batches only after their calls, and each insert would lock
  // their one hot row. The unchanging part of a call is in `outdial_call_requests`, with its own indexes: a step that changes
  // a column of any index here writes an entry to each index that has the row. So indexes use the stage and not the status: a
  // call is `live` as long as it has a line, and only a claim and the end write to indexes. Pages keep free space for the
  // steps in between, and the columns that these write are adjacent: the log contains everything from the first changed byte
  // to the last.
  yield* sql`
    create table outdial_calls (
      account_id text collate "C" not null,
      id text collate "C" not null,
      phone_number text collate "C" not null,
      test boolean not null,
      priority int not null check (priority in (0, 1)),
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      lane text collate "C" not null,
      unavailable_count int not null,
      not_before timestamptz(3),
      due_at timestamptz(3) not null,
      dialed_at timestamptz(3),
      dial_by timestamptz(3),
      lease_until timestamptz(3),
      submitted_at timestamptz(3),
      hang_up_at timestamptz(3),
      answered_at timestamptz(3),
      ended_at timestamptz(3),
      outcome_due_at timestamptz(3),
      outcome_lease_until timestamptz(3),
      claim_epoch int,
      has_recording boolean not null,
      words_forgotten boolean not null default false,
      claim_token text,
      carrier_call_id text,
      status text collate "C" not null,
      stage text collate "C" not null generated always as (
        case
          when status in ('dialing', 'in_progress') then 'live'
          when status = 'completed' and words_forgotten then 'forgotten'
          else status
        end
      ) stored,
      status_code text,
      answered_by text,
      outcome_state text not null,
      outcome_token text,
      transcript json,
      outcome json,
      primary key (account_id, id),
      constraint outdial_calls_status check (status in (
        'queued', 'dialing', 'in_progress', 'completed', 'no_answer', 'busy', 'failed', 'canceled', 'expired'
      )),
      constraint outdial_calls_claim check (
        (status in ('dialing', 'in_progress'))
          = (claim_token is not null and claim_epoch is not null and lease_until is not null and dial_by is not null)
        and (claim_token is not null or (submitted_at is null and carrier_call_id is null))
      ),
      constraint outdial_calls_dialed check (status not in ('dialing', 'in_progress') or dialed_at is not null),
      constraint outdial_calls_ended check (
        (status in ('queued', 'dialing', 'in_progress')) = (ended_at is null)
      ),
      constraint outdial_calls_outcome check (
        outcome_state in ('none', 'pending', 'stored', 'given_up')
        and (status = 'completed') = (outcome_state <> 'none')
        and (outcome_state = 'pending') = (outcome_due_at is not null)
        and (outcome_state = 'stored') = (outcome is not null)
        and (outcome_state = 'pending' or outcome_token is null)
        and (outcome_token is null or outcome_lease_until is not null)
      )
    ) with (fillfactor = 50)`
  // Written as a case, as is the next but one: neither implies the predicate of another index nor is implied by one. A planner
  // without good statistics considers any such index as good for one number or one lane, and reads every queued call.
  yield* sql`
    create unique index outdial_calls_one_waiting
    on outdial_calls (account_id, phone_number)
    where case when stage = 'queued' then not test end`
  yield* sql`
    create index outdial_calls_due
    on outdial_calls (account_id, lane, priority, due_at, id)
    where stage = 'queued'`
  yield* sql`
    create index outdial_calls_expiry
    on outdial_calls (account_id, expires_at)
    where case when stage = 'queued' then true end`
  // Without the lease, which every report changes: an account has only so many lines. In the order of the dials, so that entries of
  // ended calls, which an old snapshot keeps, come before them.
  yield* sql`
    create index outdial_calls_lines
    on outdial_calls (account_id, dialed_at)
    where stage = 'live'`
  // Lists of calls, and retention, each from one end of a stage. Live calls are few, and found by their lines. The condition
  // on `created_at` is always true, and only lists use it: a query that looks for something else in a stage is never planned
  // to read a list.
  yield* sql`
    create index outdial_calls_stage
    on outdial_calls (account_id, stage, created_at, id)
    where stage <> 'live' and created_at > '-infinity'`
  // Dialed calls, for what the rules count: by number, and for the whole account.
  yield* sql`
    create index outdial_calls_dials
    on outdial_calls (account_id, phone_number, dialed_at)
    where dialed_at is not null`
  // Written as a case, as above: a planner whose statistics are from before the first dials considers the account's index as
  // good for one number.
  yield* sql`
    create index outdial_calls_dialed
    on outdial_calls (account_id, dialed_at)
    where case when dialed_at is not null then true end`

  // Calls with a pending outcome, and when it is due: written and deleted with the call. An index on calls would write new
  // entries to all others. The call has the claim of the outcome.
  yield* sql`
    create table outdial_pending_outcomes (
      account_id text collate "C" not null,
      due_at timestamptz(3) not null,
      call_id text collate "C" not null,
      primary key (account_id, due_at, call_id)
    )`
})

/** The request of each call, and what lists read of it. */
const createRequests = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  // `external_id` is the contact's, a column of its own for lookups. The number, the test and the instant are the call's.
  yield* sql`
    create table outdial_call_requests (
      account_id text collate "C" not null,
      id text collate "C" not null,
      agent_id text collate "C" not null,
      agent_version int not null,
      batch_id text collate "C",
      batch_index int,
      test boolean not null,
      phone_number text collate "C" not null,
      contact json not null,
      external_id text collate "C",
      variables json not null,
      metadata json not null,
      created_at timestamptz(3) not null,
      primary key (account_id, id),
      constraint outdial_call_requests_batch check (
        batch_index is null or (batch_id is not null and batch_index >= 0)
      )
    )`
  // Each in the order of the list, read from its end, so that a page has a constant cost; new rows are the newest, so they
  // fill the index's last pages. The predicate is always true, and only lists use it: a query that looks for calls by their
  // ids is never planned to read a list.
  yield* sql`
    create index outdial_call_requests_agent
    on outdial_call_requests (account_id, agent_id, created_at, id)
    where created_at > '-infinity'`
  yield* sql`
    create index outdial_call_requests_number
    on outdial_call_requests (account_id, phone_number, created_at, id)
    where created_at > '-infinity'`
  yield* sql`
    create index outdial_call_requests_external
    on outdial_call_requests (account_id, external_id, created_at, id)
    where created_at > '-infinity' and external_id is not null`
  yield* sql`
    create index outdial_call_requests_tests
    on outdial_call_requests (account_id, created_at, id)
    where created_at > '-infinity' and test`
  yield* sql`
    create unique index outdial_call_requests_rows
    on outdial_call_requests (account_id, batch_id, batch_index)
    where batch_id is not null`
})
