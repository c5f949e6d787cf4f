begin;
with numbered as materialized (
  select nextval('bench_calls') as n
  from generate_series(1, 100)
), asked as (
  insert into outdial_call_requests (
    account_id, id, agent_id, agent_version, batch_id, batch_index, test, phone_number, contact, external_id, variables,
    metadata, created_at
  )
  select
    'acct_' || lpad(:client_id::text, 26, '0'), 'call_' || lpad(n::text, 26, '0'), '00000000-0000-4000-8000-000000000001', 1,
    'batch_' || lpad((n / 1000)::text, 26, '0'), n % 1000, false, '+1' || (2000000000 + n),
    json_build_object('name', 'Grace Hopper', 'external_id', 'crm-' || n), 'crm-' || n,
    '{"topic": "your visit on Tuesday", "visits": 3, "urgent": true}',
    '{"campaign": "spring", "order": {"id": 123456, "lines": ["a", "b"]}}', now()
  from numbered
)
insert into outdial_calls (
  account_id, id, priority, test, phone_number, status, created_at, lane, due_at, expires_at, unavailable_count,
  has_recording, outcome_state
)
select
  'acct_' || lpad(:client_id::text, 26, '0'), 'call_' || lpad(n::text, 26, '0'), 1, false, '+1' || (2000000000 + n), 'queued', now(),
  '1|America/Los_Angeles|', now(), now() + interval '7 days', 0, false, 'none'
from numbered;
commit;
\set token random(1, 1000000000000)
begin;
with due as (
  select c.id
  from outdial_calls as c
  where c.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
    and c.stage = 'queued'
    and c.lane = '1|America/Los_Angeles|'
    and c.priority = 1
    and c.due_at <= now()
  order by c.due_at, c.id
  limit 100
  for no key update skip locked
)
update outdial_calls as c
set status = 'dialing', claim_token = :token::text, claim_epoch = 1, lease_until = now(), dial_by = now(),
  submitted_at = now(), dialed_at = now()
where c.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
  and c.id = any(array(select due.id from due));
commit;
begin;
update outdial_calls as c
set status = 'in_progress', answered_at = now(), answered_by = 'human'
where c.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
  and c.stage = 'live'
  and c.claim_token = :token::text;
commit;
begin;
with ended as (
  update outdial_calls as c
  set status = 'completed', claim_token = null, claim_epoch = null, lease_until = null, dial_by = null,
    submitted_at = null, ended_at = now(), outcome_state = 'stored',
    transcript = '[{"speaker": "agent","text": "Hello"},{"speaker": "contact","text": "Yes, this is a good time."}]',
    outcome = '{"disposition": "yes","summary": "They will come.","answers": {},"lead_rating": 7,"callback_requested": false}'
  where c.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
    and c.stage = 'live'
    and c.claim_token = :token::text
  returning c.id
), told as (
  insert into outdial_events (account_id, id, call_id, type, created_at, body)
  select 'acct_' || lpad(:client_id::text, 26, '0'), 'evt_' || substr(e.id, 6), e.id, 'call.completed', now(), repeat('x', 1500)
  from ended as e
  returning id
)
insert into outdial_deliveries (
  account_id, id, event_id, subscriber, state, attempts, cause, due_at, created_at
)
select 'acct_' || lpad(:client_id::text, 26, '0'), 'dlv_' || substr(t.id, 5), t.id, '', 'pending', 0, 'schedule', now(), now()
from told as t;
commit;
begin;
update outdial_deliveries as d
set state = 'delivered', attempts = 1
where d.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
  and d.subscriber = ''
  and d.state in ('pending', 'sending');
commit;
