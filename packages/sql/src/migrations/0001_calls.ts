/**
 * The first tables. Every key of a table that grows with calls begins with `account_id`, so that the schema can be spread
 * by account. Constraints repeat what the state machine says; they catch bugs, they decide nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table outdial_deployment (
      id int primary key check (id = 1),
      paused boolean not null
    )`
  yield* sql`insert into outdial_deployment (id, paused) values (1, false)`

  yield* sql`
    create table outdial_accounts (
      id text primary key,
      name text not null,
      lines int not null check (lines >= 0),
      created_at timestamptz(3) not null
    )`
  // What a submission shares and a pause writes stands apart from what a claim locks, so that neither waits for the other.
  yield* sql`
    create table outdial_gates (
      account_id text primary key references outdial_accounts (id),
      paused boolean not null,
      epoch int not null
    )`

  yield* sql`
    create table outdial_agents (
      account_id text not null references outdial_accounts (id),
      id text not null,
      version int not null,
      created_at timestamptz(3) not null,
      primary key (account_id, id)
    )`
  // Documents are json, not jsonb: they come back as they were given, also with what jsonb refuses, such as \u0000.
  yield* sql`
    create table outdial_agent_versions (
      account_id text not null,
      agent_id text not null,
      version int not null check (version > 0),
      definition json not null,
      updated_at timestamptz(3) not null,
      primary key (account_id, agent_id, version),
      foreign key (account_id, agent_id) references outdial_agents (account_id, id)
    )`

  yield* sql`
    create table outdial_api_keys (
      account_id text not null references outdial_accounts (id),
      id text not null,
      name text not null,
      hash text not null,
      scopes text[] not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      primary key (account_id, id)
    )`
  yield* sql`create unique index outdial_api_keys_hash on outdial_api_keys (hash)`

  yield* sql`
    create table outdial_webhooks (
      account_id text primary key references outdial_accounts (id),
      url text not null,
      enabled boolean not null,
      events text[] not null,
      secret text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`

  yield* createCalls(sql)
  yield* createEvents(sql)
})

const createCalls = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  // No foreign keys: accounts and agent versions are never deleted, and each insert would lock their one hot row.
  yield* sql`
    create table outdial_calls (
      account_id text not null,
      id text not null,
      agent_id text not null,
      agent_version int not null,
      batch_id text,
      priority int not null,
      test boolean not null,
      phone_number text not null,
      contact json not null,
      variables json not null,
      metadata json not null,
      status text not null,
      status_code text,
      created_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      unavailable_count int not null,
      claim_token text,
      claim_epoch int,
      lease_until timestamptz(3),
      submitted_at timestamptz(3),
      carrier_call_id text,
      dialed_at timestamptz(3),
      answered_at timestamptz(3),
      ended_at timestamptz(3),
      answered_by text,
      has_recording boolean not null,
      transcript json,
      outcome json,
      outcome_state text not null,
      outcome_due_at timestamptz(3),
      outcome_token text,
      primary key (account_id, id),
      constraint outdial_calls_priority check (priority = case when batch_id is null then 0 else 1 end),
      constraint outdial_calls_status check (status in (
        'queued', 'dialing', 'in_progress', 'completed', 'no_answer', 'busy', 'failed', 'canceled', 'expired'
      )),
      constraint outdial_calls_claim check (
        (status in ('dialing', 'in_progress'))
          = (claim_token is not null and claim_epoch is not null and lease_until is not null)
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
      )
    )`
  yield* sql`
    create unique index outdial_calls_one_waiting
    on outdial_calls (account_id, phone_number)
    where status = 'queued' and not test`
  yield* sql`
    create index outdial_calls_due
    on outdial_calls (account_id, priority, due_at, id)
    where status = 'queued'`
  yield* sql`
    create index outdial_calls_expiry
    on outdial_calls (account_id, expires_at, id)
    where status = 'queued'`
  yield* sql`
    create index outdial_calls_lines
    on outdial_calls (account_id, lease_until, id)
    where status in ('dialing', 'in_progress')`
  yield* sql`
    create index outdial_calls_outcomes
    on outdial_calls (account_id, outcome_due_at, id)
    where outcome_state = 'pending'`
  // The call is set before the transaction that takes the key ends; nobody else sees a key without one.
  yield* sql`
    create table outdial_idempotency_keys (
      account_id text not null,
      route text not null,
      key text not null,
      fingerprint text not null,
      call_id text,
      created_at timestamptz(3) not null,
      primary key (account_id, route, key)
    )`
})

const createEvents = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  yield* sql`
    create table outdial_events (
      account_id text not null,
      id text not null,
      call_id text not null,
      type text not null check (
        type in ('call.completed', 'call.not_connected', 'call.dialing', 'call.in_progress')
      ),
      created_at timestamptz(3) not null,
      body text not null,
      primary key (account_id, id)
    )`
  yield* sql`
    create unique index outdial_events_one_terminal
    on outdial_events (account_id, call_id)
    where type in ('call.completed', 'call.not_connected')`
  // While a delivery is being sent, it is due when its lease runs out.
  yield* sql`
    create table outdial_deliveries (
      account_id text not null,
      id text not null,
      event_id text not null,
      state text not null check (state in ('pending', 'sending', 'delivered', 'exhausted')),
      attempts int not null check (attempts >= 0),
      due_at timestamptz(3) not null,
      claim_token text,
      attempted_at timestamptz(3),
      status_code int,
      error_code text,
      primary key (account_id, id),
      constraint outdial_deliveries_claim check ((state = 'sending') = (claim_token is not null))
    )`
  yield* sql`
    create unique index outdial_deliveries_event
    on outdial_deliveries (account_id, event_id)`
  yield* sql`
    create index outdial_deliveries_open
    on outdial_deliveries (account_id, due_at, id)
    where state in ('pending', 'sending')`
  yield* sql`
    create index outdial_deliveries_sending
    on outdial_deliveries (account_id, due_at)
    where state = 'sending'`
})
