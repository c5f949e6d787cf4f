/** The accounts `account_id` with pending outcomes, and when the earliest is due. */
import type { SqlClient, Statement } from "effect/sql"

export const outcomes = (sql: SqlClient.SqlClient): Statement.Fragment => {
  /** The pending outcomes `p` of an account `a`, each with its call `c`. */
  const pending = sql`
      from outdial_pending_outcomes as p
      cross join lateral (
        select c.outcome_token, c.outcome_lease_until
        from outdial_calls as c
        where c.account_id = a.id
          and c.id = p.call_id
        limit 1
      ) as c
      where p.account_id = a.id`
  // Index: primary keys, that of outdial_pending_outcomes in its order up to the first that is not claimed: a lease runs
  // out after the outcome was due, so those after it are not due earlier. Few outcomes are claimed.
  return sql`
    select a.id as account_id, least(first.due_at, (
      select min(c.outcome_lease_until)
      ${pending}
        and c.outcome_token is not null
        and p.due_at <= coalesce(first.due_at, 'infinity')
    )) as due_at
    from outdial_accounts as a
    left join lateral (
      select p.due_at
      ${pending}
        and c.outcome_token is null
      order by p.due_at, p.call_id
      limit 1
    ) as first on true`
}
