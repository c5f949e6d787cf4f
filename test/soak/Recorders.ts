/** Asks the witnesses of a run: the journals of carrier and receiver, and the database by plain SQL. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Carrier from "./Carrier.ts"
import type { Evidence, KeptCall, KeptEvent, Step } from "./Evidence.ts"
import * as Journal from "./Journal.ts"
import type { Requests } from "./Load.ts"
import type { Received } from "./Received.ts"
import type { Tenant } from "./Tenants.ts"

/** What is still under way. */
export const unfinished = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly calls: number; readonly deliveries: number }>`
      select (
        select count(*)::int
        from outdial_calls
        where status in ('queued', 'dialing', 'in_progress') or outcome_state = 'pending'
      ) as calls, (
        select count(*)::int
        from outdial_deliveries
        where state in ('pending', 'sending')
      ) as deliveries`,
    ([row]) => row ?? { calls: 0, deliveries: 0 }
  ))

/** How many calls wait in each account. */
export const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly account_id: string; readonly count: number }>`
      select account_id, count(*)::int as count
      from outdial_calls
      where status = 'queued'
      group by account_id`,
    (rows) => new Map(rows.map(({ account_id, count }) => [account_id, count]))
  ))

export const hear = Effect.fnUntraced(function*(
  { requests, folder, tenants }: {
    readonly requests: Requests
    readonly folder: string
    readonly tenants: ReadonlyArray<Tenant>
  }
) {
  const sql = yield* SqlClient.SqlClient
  const steps = yield* sql<Step>`
    select account_id as "accountId", call_id as "callId", status, claim_token as "claimToken", submitted,
      (extract(epoch from dialed_at) * 1000)::float8 as "dialedAt", (extract(epoch from at) * 1000)::float8 as at
    from soak_history
    order by n`
  const calls = yield* sql<KeptCall>`
    select account_id as "accountId", id, r.batch_id as "batchId", c.phone_number as "phoneNumber", c.status,
      c.status_code as "statusCode", c.outcome_state as "outcomeState", r.metadata ->> 'key' as key
    from outdial_calls as c
    join outdial_call_requests as r using (account_id, id)`
  const events = yield* sql<KeptEvent>`
    select account_id as "accountId", id, call_id as "callId", type,
      encode(sha256(convert_to(body, 'UTF8')), 'hex') as hash
    from outdial_events`
  const entries = Journal.open<Carrier.Entry>(folder, "carrier").read()
  const evidence: Evidence = {
    ...requests,
    accounts: tenants,
    rings: Carrier.calls(entries),
    reported: entries.filter(({ _tag }) => _tag === "Reported").length,
    steps,
    calls,
    events,
    received: Journal.open<Received>(folder, "receiver").read()
  }
  return evidence
})
