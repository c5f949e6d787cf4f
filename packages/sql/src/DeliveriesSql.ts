/** Deliveries of events to the account's endpoint: claiming them within what may be in flight, and what came of them. */
import { type Ids, Limits, type Storage, WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "./Database.ts"
import * as EventRows from "./EventRows.ts"
import * as Rows from "./Rows.ts"

type DeliveriesSql = Pick<Storage.Storage["Service"], "claimDeliveries" | "settleDeliveries">

export const make = ({ sql, statement, transaction }: Database): DeliveriesSql => {
  const lockEndpoint = (accountId: Ids.AccountId) =>
    // Index: primary key. One claim of an endpoint at a time, so that what is in flight is counted right; the loser does
    // not wait, it has nothing to add.
    sql<Rows.WebhookRow>`
      select w.*
      from outdial_webhooks as w
      where w.account_id = ${accountId}
        and w.enabled
      for no key update skip locked`

  const take = ({ accountId, limit, now, token }: Storage.ClaimWorkOptions) => {
    const at = DateTime.toDateUtc(now)
    // Indexes: outdial_deliveries_open in its order, outdial_deliveries_sending for what is in flight, then primary keys,
    // for which the ids are given twice, as in `CallWrites`. The lock passes
    // over a delivery that is being settled. A lease that ran out was an attempt whose end nobody knows.
    return sql<EventRows.ClaimedDeliveryRow>`
      with due as (
        select d.id, d.due_at
        from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.state in ('pending', 'sending')
          and d.due_at <= ${at}
        order by d.due_at, d.id
        limit least(${limit}::int, greatest(0, ${Limits.deliveriesInFlight}::int - (
          select count(*)::int
          from outdial_deliveries as s
          where s.account_id = ${accountId}
            and s.state = 'sending'
            and s.due_at > ${at}
        )))
        for no key update skip locked
      )
      update outdial_deliveries as d
      set attempts = d.attempts + (d.state = 'sending')::int,
        state = 'sending',
        claim_token = ${token},
        due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.deliveryLease))}
      from due
      join outdial_events as e on e.account_id = ${accountId}
      where d.account_id = ${accountId}
        and d.id = any(array(select due.id from due))
        and d.id = due.id
        and e.id = d.event_id
      returning d.id, d.event_id, d.attempts, e.body, due.due_at`
  }

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimWorkOptions) {
    const [row] = yield* lockEndpoint(options.accountId)
    if (row === undefined) return []
    const endpoint = Rows.toWebhook(row)
    const secrets = WebhookEndpoint.signingSecrets(endpoint, options.now)
    return EventRows.toClaimedDeliveries(yield* take(options), { url: endpoint.url, secrets })
  })

  const settle = ({ accountId, results, token }: Storage.SettleDeliveriesOptions) =>
    // Index: primary key, for which the ids are given twice, as in `CallWrites`. The token is the fence against results that
    // come too late, which leave nothing in the log either.
    sql`
      with settled as (
        update outdial_deliveries as d
        set state = r.state,
          attempts = d.attempts + 1,
          due_at = coalesce(r.due_at, d.due_at),
          claim_token = null
        from json_to_recordset(${JSON.stringify(results.map(EventRows.fromDeliveryResult))}::json) as r (
          id text, state text, due_at timestamptz, attempted_at timestamptz, status_code int, error_code text,
          duration_ms int
        )
        where d.account_id = ${accountId}
          and d.id = any(${results.map(({ deliveryId }) => deliveryId)}::text[])
          and d.id = r.id
          and d.state = 'sending'
          and d.claim_token = ${token}
        returning d.id, d.attempts, r.attempted_at, r.status_code, r.error_code, r.duration_ms
      )
      insert into outdial_delivery_attempts (
        account_id, delivery_id, number, attempted_at, status_code, error_code, duration_ms
      )
      select ${accountId}, s.id, s.attempts, s.attempted_at, s.status_code, s.error_code, s.duration_ms
      from settled as s`

  return {
    claimDeliveries: Effect.fn("Storage.claimDeliveries")((options) => transaction(claim(options))),
    settleDeliveries: Effect.fn("Storage.settleDeliveries")((options) =>
      options.results.length === 0 ? Effect.void : Effect.asVoid(statement(settle(options)))
    )
  }
}
