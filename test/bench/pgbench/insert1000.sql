with numbered as materialized (
  select nextval('bench_calls') as n
  from generate_series(1, 1000)
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
