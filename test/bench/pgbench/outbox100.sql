\set token random(1, 1000000000000)
insert into outdial_deliveries (
  account_id, id, event_id, subscriber, state, attempts, tries, cause, due_at, created_at
)
select 'acct_' || lpad(:client_id::text, 26, '0'), 'dlv_' || n, 'evt_' || n, '', 'pending', 0, 0, 'schedule', now(), now()
from (select nextval('bench_calls') as n from generate_series(1, 100)) as s;
update outdial_deliveries as d
set state = 'sending', claim_token = :token::text, due_at = now() + interval '60 seconds', tries = tries + 1
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
with settled as (
  update outdial_deliveries as d
  set state = 'delivered', claim_token = null
  where d.account_id = 'acct_' || lpad(:client_id::text, 26, '0')
    and d.subscriber = ''
    and d.state = 'sending'
    and d.claim_token = :token::text
  returning d.id
)
insert into outdial_delivery_attempts (
  account_id, delivery_id, number, cause, attempted_at, status_code, duration_ms
)
select 'acct_' || lpad(:client_id::text, 26, '0'), s.id, 1, 'schedule', now(), 204, 2
from settled as s;
