update outdial_calls as c
set status = 'dialing', claim_token = 'claim_1', claim_epoch = 1, lease_until = now(), dial_by = now(), dialed_at = now()
where c.account_id = 'acct_00000000000000000000000000'
  and c.id = any(array(
    select d.id
    from outdial_calls as d
    where d.account_id = 'acct_00000000000000000000000000'
      and d.stage = 'queued'
      and d.lane = '1|America/Los_Angeles|'
      and d.priority = 1
      and d.due_at <= now()
    order by d.due_at, d.id
    limit 100
    for no key update skip locked
  ));
