/**
 * A database with 400,000 calls and all that belongs to them: half of it one account's, the rest spread over hundreds.
 * Its rows are made by the server, and narrow: what a plan depends on is how many there are and how they are spread.
 */
import { Ids, Lane } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Enough for the planner to prefer the indexes that it prefers beside a million. */
export const callCount = 400_000
const accountCount = 500

/** The account that half of all calls are of. */
export const hugeAccount = Ids.AccountId.make(`acct_${"1".padStart(26, "0")}`)

/** An agent that every account has. */
export const agent = Ids.AgentId.make("00000000-0000-4000-8000-000000000001")

/** An agent that makes a call now and then. */
export const seldomAgent = Ids.AgentId.make("00000000-0000-4000-8000-000000000004")

/** The account `n`, an SQL expression. */
const account = (n: string) => `'acct_' || lpad((${n})::text, 26, '0')`

/** Each line makes one call: `a` is its account's number, and `j` counts the calls of the account. */
const calls = `
  select
    i,
    case when i % 2 = 0 then 1 else 2 + (i / 2) % ${accountCount - 1} end as a,
    case when i % 2 = 0 then i / 2 else (i / 2) / ${accountCount - 1} end as j,
    (i / 2 / case when i % 2 = 0 then 1 else ${accountCount - 1} end) % 100 as share
  from generate_series(0, ${callCount - 1}) as i`

/** Six in ten calls are completed, and one in six waits; a few are going on. */
const status = `case
  when share < 60 then 'completed'
  when share < 70 then 'no_answer'
  when share < 76 then 'busy'
  when share < 80 then 'failed'
  when share < 81 then 'canceled'
  when share < 82 then 'expired'
  when j % 1009 = 7 then 'in_progress'
  else 'queued'
end`

const test = "status = 'completed' and j % 1000 = 3"
const phoneNumber = "'+1' || case when status = 'queued' then 3000000000 + j else 2000000000 + j % 100000 end"

/** Fills the tables that the migrations have made, and looks at what they hold. */
export const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const start = `'${DateTime.formatIso(Factories.start)}'::timestamptz`
  const lane = (share: number) => Lane.make({ planVersion: 1, timeZones: [`Zone/${share}`] })
  const bookings = `(${start} - interval '25 days' + i * interval '2 seconds')`
  const indexes = yield* sql<{ readonly indexname: string; readonly indexdef: string }>`
    select i.indexname, i.indexdef
    from pg_indexes as i
    where i.schemaname = 'public'
      and i.indexname like 'outdial%'
      and not exists (select 1 from pg_constraint as c where c.conname = i.indexname)`
  const runs = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })

  // Faster without a log, and with the indexes made at the end.
  yield* runs([
    "set statement_timeout = 0",
    "set synchronous_commit = off",
    "set maintenance_work_mem = '256MB'",
    ...["calls", "call_requests", "events", "deliveries"].map((name) => `alter table outdial_${name} set unlogged`),
    ...indexes.map(({ indexname }) => `drop index ${indexname}`),
    `insert into outdial_accounts (id, name, lines, policy, plan_version, created_at)
    select ${account("n")}, 'Account', 10, '{}', 1, ${start} - interval '60 days'
    from generate_series(1, ${accountCount}) as n`,
    // All but one are paused, so that who looks for work finds what tests have made.
    `insert into outdial_dial_switches (account_id, paused, epoch) select id, id <> '${hugeAccount}', 1 from outdial_accounts`,
    `insert into outdial_feeds (account_id, last_position) select id, 1000000 from outdial_accounts`,
    `insert into outdial_agents (account_id, id, version, created_at)
    select id, '00000000-0000-4000-8000-00000000000' || n, 2, created_at
    from outdial_accounts, generate_series(1, 3) as n`,
    `insert into outdial_agent_versions (account_id, agent_id, version, definition, updated_at)
    select account_id, id, n, '{}', created_at
    from outdial_agents, generate_series(1, 2) as n`,
    `insert into outdial_closed_lanes (account_id, lane, until)
    select id, '${lane(2)}', ${start}
    from outdial_accounts`,
    `insert into outdial_api_keys (account_id, id, name, hash, scopes, created_at)
    select id, 'key_' || n, 'Key', md5(id || n), '{calls:write}', created_at
    from outdial_accounts, generate_series(1, 5) as n`,
    `insert into outdial_request_windows (account_id, name, second, counts, taken)
    select account_id, id, 0, array_fill(0, array[60]), 0
    from outdial_api_keys`,
    `insert into outdial_webhooks
      (account_id, url, enabled, events, secret, previous_secrets, created_at, updated_at)
    select id, 'https://example.com', true, '{call.completed}', '{"ciphertext":"","key_id":"key_1"}', '[]', created_at,
      created_at
    from outdial_accounts`,
    `insert into outdial_subscribers (account_id, name, events, created_at)
    select id, 'crm', '{call.completed}', created_at
    from outdial_accounts`,
    `insert into outdial_do_not_call (account_id, phone_number, source, created_at)
    select ${
      account(`case when n % 2 = 0 then 1 else 2 + n / 2 % ${accountCount - 1} end`)
    }, '+1' || (4000000000 + n), 'api',
      ${start} - n * interval '10 seconds'
    from generate_series(1, 200000) as n`,
    `insert into outdial_erased_callees (account_id, alias, phone_number, erased_at)
    select ${
      account(`case when n % 2 = 0 then 1 else 2 + n / 2 % ${accountCount - 1} end`)
    }, 'erased_' || n, case when n % 4 < 2 then '+1' || (4100000000 + n) end, ${start}
    from generate_series(1, 50000) as n`,
    `insert into outdial_console_links (hash, role, name, created_at, expires_at)
    select encode(sha256(('link ' || n)::bytea), 'hex'), 'viewer', 'Grace', ${start}, ${start} + interval '60 days'
    from generate_series(1, 350) as n`,
    `insert into outdial_console_sessions (id, hash, role, name, created_at, expires_at, last_used_at)
    select 'session_' || n, 'session ' || n, 'viewer', 'Grace', ${start}, ${start} + interval '60 days', ${start}
    from generate_series(1, 300) as n`,
    `insert into outdial_audit_log (id, created_at, actor, role, account_id, action, target, status, details)
    select 'audit_' || lpad(n::text, 26, '0'), ${start} + n * interval '1 second', 'Grace', 'operator',
      ${account(`1 + n % ${accountCount}`)}, 'calls.cancel', 'call_' || n, 200, '{}'
    from generate_series(1, 100000) as n`,
    `insert into outdial_usage (account_id, day, placed, seconds)
    select id, (date '2024-01-01' + n)::text, 100, 6000
    from outdial_accounts, generate_series(1, 60) as n`,
    `insert into outdial_usage_folds (account_id, folded_until) select id, '2024-03-01Z' from outdial_accounts`,
    `insert into outdial_call_requests (
      account_id, id, agent_id, agent_version, batch_id, batch_index, test, phone_number, contact, external_id, variables,
      metadata, created_at
    )
    select
      ${
      account("a")
    }, 'call_' || lpad(i::text, 26, '0'), '00000000-0000-4000-8000-00000000000' || case when j % 5000 = 9 then 4 else 1 + j % 3 end, 1,
      case when j % 100 < 50 then 'batch_' || lpad((j / 100)::text, 25, '0') || 'B' end,
      case when j % 100 < 50 then j % 100 end,
      ${test}, ${phoneNumber}, '{}', case when j % 3 = 0 then 'crm-' || j end, '{}', '{}', ${bookings}
    from (select *, ${status} as status from (${calls}) as n) as n`,
    `insert into outdial_calls (
      account_id, id, priority, test, phone_number, status, created_at, lane, due_at, expires_at, unavailable_count,
      claim_token, claim_epoch, lease_until, dial_by, submitted_at, dialed_at, answered_at, ended_at, has_recording, outcome,
      outcome_state, outcome_due_at
    )
    select
      ${account("a")}, 'call_' || lpad(i::text, 26, '0'), case when j % 100 < 50 then 1 else 0 end, ${test},
      ${phoneNumber}, status, ${bookings},
      case j % 3 when 0 then '${lane(0)}' when 1 then '${lane(1)}' else '${lane(2)}' end,
      ${bookings}, ${bookings} + interval '60 days', 0,
      case when going_on then 'claim_1' end, case when going_on then 1 end,
      case when going_on then ${start} + interval '30 days' end, case when going_on then ${bookings} end,
      case when going_on then ${bookings} end,
      case when status not in ('queued', 'canceled', 'expired') then ${bookings} end,
      case when status in ('completed', 'in_progress') then ${bookings} end,
      case when status <> 'queued' and not going_on then ${bookings} end,
      status = 'completed', case when status = 'completed' and j % 997 <> 5 and j % 97 <> 6 then '{}'::json end,
      case when status <> 'completed' then 'none' when j % 97 = 6 then 'pending' when j % 997 = 5 then 'given_up' else 'stored' end,
      case when status = 'completed' and j % 97 = 6 then ${start} + interval '30 days' end
    from (select *, status = 'in_progress' as going_on from (select *, ${status} as status from (${calls}) as n) as n) as n`,
    `insert into outdial_batches (account_id, id, agent_id, test, accepted_count, rejected, created_at)
    select account_id, batch_id, min(agent_id), false, count(*), '[]', min(created_at)
    from outdial_call_requests
    where batch_id is not null
    group by account_id, batch_id`,
    `insert into outdial_batch_ends (account_id, batch_id, ended_at)
    select account_id, id, created_at
    from outdial_batches
    limit 5000`,
    `insert into outdial_idempotency_keys (account_id, route, key, fingerprint, resource_id, created_at)
    select account_id, 'calls', id, '', id, created_at
    from outdial_calls
    where right(id, 1) = '3'`,
    `insert into outdial_pending_outcomes (account_id, due_at, call_id)
    select account_id, outcome_due_at, id
    from outdial_calls
    where outcome_state = 'pending'`,
    `insert into outdial_unwanted_recordings (account_id, call_id)
    select account_id, id
    from outdial_calls
    where right(id, 2) = '17'`,
    // Every third answered call had a conversation. The logs of the live ones, and of as many that are completed, are not sealed.
    `update outdial_calls
    set conversation = case when status = 'in_progress' or outcome_state = 'pending' then 'open' else 'sealed' end
    where answered_at is not null and right(id, 1) in ('2', '5', '9')`,
    `insert into outdial_conversations (account_id, call_id, created_at, generation, entry_count, lease_until)
    select account_id, id, created_at, case conversation when 'open' then 1 else 0 end, 10, created_at
    from outdial_calls
    where conversation is not null`,
    `insert into outdial_conversation_entries (account_id, call_id, chunk, entries)
    select account_id, id, n, '[["contact", "Yes", 1, 2]]'
    from outdial_calls, generate_series(0, 1) as n
    where conversation = 'open'`,
    // Every other call that has ended has its events, as of accounts that were given an endpoint later.
    `insert into outdial_events (account_id, id, call_id, type, created_at, body, position)
    select account_id, 'evt_' || substr(id, 6), id,
      case when status = 'completed' then 'call.completed' else 'call.not_connected' end,
      ended_at, '{}', case when n % 5000 > 0 then n end
    from (
      select *, row_number() over (partition by account_id order by id) as n
      from outdial_calls
      where ended_at is not null
    ) as c
    where n % 2 = 0`,
    `insert into outdial_events (account_id, id, batch_id, type, created_at, body, position)
    select account_id, 'evt_' || substr(id, 7), id, 'batch.completed', created_at, '{}', 1000000 + row_number() over ()
    from outdial_batches`,
    `insert into outdial_deliveries
      (account_id, id, event_id, subscriber, state, attempts, cause, due_at, claim_token, log, created_at)
    select account_id, 'dlv_' || substr(id, 5) || s.short, id, s.name, state, 1, 'schedule', created_at,
      case when state = 'sending' then 'claim_1' end,
      '[{"at": 0, "cause": "schedule", "status_code": 204, "duration_ms": 20}]', created_at
    from (
      select *, case
        when position % 500 = 2 then 'pending'
        when position % 50000 = 4 then 'sending'
        when position % 500 = 6 then 'exhausted'
        when position % 500 = 8 then 'dropped'
        else 'delivered'
      end as state
      from outdial_events
    ) as e
    cross join (values ('', ''), ('crm', 'S')) as s (name, short)
    where s.name = '' or state in ('pending', 'exhausted')`,
    ...indexes.map(({ indexdef }) => indexdef),
    "analyze"
  ])
})
