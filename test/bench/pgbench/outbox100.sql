\set token random(1, 1000000000000)
insert into outdial_deliveries (
  account_id, id, event_id, subscriber, state, attempts, cause, due_at, created_at
)
select 'acct_' || lpad(:client_id::text, 26, '0'), 'dlv_' || n, 'evt_' || n, '', 'pending', 0, 'schedule', now(), now()
from (select nextval('bench_calls') as n from generate_series(1, 100)) as s;
update outdial_deliveries as d
set state = 'sending', claim_token = :token::text, due_at = now() + interval '60 seconds'
where d.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
  and d.id = any(array(
    select o.id
    from outdial_deliveries as o
    where o.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
      and o.subscriber = ''
      and o.state in ('pending', 'sending')
      and o.due_at <= now()
    order by o.due_at, o.id
    limit 100
    for no key update skip locked
  ));
update outdial_deliveries as d
set state = 'delivered', attempts = 1, claim_token = null,
  log = d.log || '{"at": 1795321962000, "cause": "schedule", "status_code": 204, "duration_ms": 2}'::jsonb
where d.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
  and d.subscriber = ''
  and d.state = 'sending'
  and d.claim_token = :token::text;
