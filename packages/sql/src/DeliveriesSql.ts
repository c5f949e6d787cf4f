/** Deliveries on their way: claiming them within what may be in flight, and what came of them. */
import { CircuitBreaker, type Ids, Limits, Storage, WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as BreakerSql from "./BreakerSql.ts"
import type { Database } from "./Database.ts"
import * as EventRows from "./EventRows.ts"
import * as Rows from "./Rows.ts"

type DeliveriesSql = Pick<
  Storage.Storage["Service"],
  "claimDeliveries" | "settleDeliveries" | "claimForSubscriber"
>

interface Take extends Storage.ClaimWorkOptions {
  readonly subscriber: string
  /** Most in flight. */
  readonly room: number
  readonly probe: boolean
}

export const make = (database: Database): DeliveriesSql => {
  const { sql, statement, transaction } = database
  const breakers = BreakerSql.make(database)

  const lockEndpoint = (accountId: Ids.AccountId, now: DateTime.Utc) =>
    // Index: primary key. One claim of an endpoint at a time, so that what is in flight is counted right; the loser does
    // not wait, it has nothing to add.
    sql<Rows.WebhookRow & BreakerSql.BreakerRow>`
      select w.*
      from outdial_webhooks as w
      where w.account_id = ${accountId}
        and w.enabled
        and (w.open_until is null or w.open_until <= ${DateTime.toDateUtc(now)})
      for no key update skip locked`

  const take = ({ accountId, limit, now, probe, room, subscriber, token }: Take) => {
    const at = DateTime.toDateUtc(now)
    // Indexes: outdial_deliveries_open in its order, outdial_deliveries_sending for what is in flight, then primary keys,
    // for which the ids are given twice, as in `CallWrites`. The lock passes
    // over a delivery that is being settled. A lease that ran out was an attempt whose end nobody knows. A probe is the
    // oldest, due or not.
    return sql<EventRows.ClaimedDeliveryRow>`
      with due as (
        select d.id, d.due_at
        from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.subscriber = ${subscriber}
          and d.state in ('pending', 'sending')
          and ${probe ? sql`(d.state = 'pending' or d.due_at <= ${at})` : sql`d.due_at <= ${at}`}
        order by d.due_at, d.id
        limit least(${limit}::int, greatest(0, ${room}::int - (
          select count(*)::int
          from outdial_deliveries as s
          where s.account_id = ${accountId}
            and s.subscriber = ${subscriber}
            and s.state = 'sending'
            and s.due_at > ${at}
        )))
        for no key update skip locked
      )
      update outdial_deliveries as d
      set attempts = d.attempts + (d.state = 'sending' and d.cause <> 'probe')::int,
        tries = d.tries + (d.state = 'sending')::int,
        state = 'sending',
        cause = ${probe ? sql`'probe'` : sql`case when d.cause = 'probe' then 'schedule' else d.cause end`},
        claim_token = ${token},
        due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.deliveryLease))}
      from due
      join outdial_events as e on e.account_id = ${accountId}
      where d.account_id = ${accountId}
        and d.id = any(array(select due.id from due))
        and d.id = due.id
        and e.id = d.event_id
      returning d.id, d.event_id, d.attempts, d.cause, e.account_id, e.call_id, e.batch_id, e.type, e.created_at, e.body,
        due.due_at`
  }

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimWorkOptions) {
    const { accountId, now } = options
    const [row] = yield* lockEndpoint(accountId, now)
    if (row === undefined) return []
    const endpoint = Rows.toWebhook(row)
    const breaker = BreakerSql.toBreaker(row)
    const secrets = WebhookEndpoint.signingSecrets(endpoint, now)
    const taken = yield* take({
      ...options,
      subscriber: EventRows.webhook,
      room: CircuitBreaker.room(breaker, now),
      probe: CircuitBreaker.isProbing(breaker)
    })
    return EventRows.toClaimedDeliveries(taken, { url: endpoint.url, secrets })
  })

  const claimForSubscriber = Effect.fnUntraced(function*(options: Storage.ClaimForSubscriberOptions) {
    // Index: primary key. One claim at a time, as of an endpoint.
    const rows = yield* sql`
      select s.name
      from outdial_subscribers as s
      where s.account_id = ${options.accountId}
        and s.name = ${options.name}
      for no key update skip locked`
    if (rows.length === 0) return []
    const room = Limits.deliveriesInFlight
    return EventRows.toSubscriberDeliveries(
      yield* take({ ...options, subscriber: options.name, limit: room, room, probe: false })
    )
  })

  const write = ({ accountId, now, results, token }: Storage.SettleDeliveriesOptions) =>
    // Index: primary key, for which the ids are given twice, as in `CallWrites`. The token is the fence against results that
    // come too late, which leave nothing in the log either.
    sql<{ readonly delivery_id: Ids.DeliveryId }>`
      with settled as (
        update outdial_deliveries as d
        set state = r.state,
          attempts = d.attempts + r.counted::int,
          tries = d.tries + 1,
          cause = 'schedule',
          due_at = coalesce(r.due_at, d.due_at),
          claim_token = null
        from json_to_recordset(${
      JSON.stringify(results.map((result) => EventRows.fromDeliveryResult(result, now)))
    }::json) as r (
          id text, state text, counted boolean, due_at timestamptz, attempted_at timestamptz, cause text, status_code int,
          error_code text, duration_ms int
        )
        where d.account_id = ${accountId}
          and d.id = any(${results.map(({ deliveryId }) => deliveryId)}::text[])
          and d.id = r.id
          and d.state = 'sending'
          and d.claim_token = ${token}
        returning d.id, d.tries, r.attempted_at, r.cause, r.status_code, r.error_code, r.duration_ms
      )
      insert into outdial_delivery_attempts (
        account_id, delivery_id, number, cause, attempted_at, status_code, error_code, duration_ms
      )
      select ${accountId}, s.id, s.tries, s.cause, s.attempted_at, s.status_code, s.error_code, s.duration_ms
      from settled as s
      returning delivery_id`

  /** Whether deliveries that arrived would change nothing of the endpoint, or there is none. */
  const isHealthy = (accountId: Ids.AccountId) =>
    // Index: primary key. A plain read: a failure that is being written meanwhile is followed by a success sooner or later.
    Effect.map(
      sql<BreakerSql.BreakerRow>`
        select w.failures, w.failing_since, w.openings, w.open_until, w.recovered_at
        from outdial_webhooks as w
        where w.account_id = ${accountId}`,
      (rows) => rows.every((row) => CircuitBreaker.isHealthy(BreakerSql.toBreaker(row)))
    )

  const settle = Effect.fnUntraced(function*(options: Storage.SettleDeliveriesOptions) {
    const { accountId, now, results } = options
    const [row] = yield* breakers.lock(accountId)
    const written = new Set((yield* write(options)).map(({ delivery_id }) => delivery_id))
    if (row === undefined) return
    let breaker = BreakerSql.toBreaker(row)
    let recovers = false
    let disables: WebhookEndpoint.DisabledReason | undefined
    for (const { result } of results.filter(({ deliveryId }) => written.has(deliveryId))) {
      const verdict = CircuitBreaker.after(breaker, Storage.signOf(result), now)
      breaker = verdict.breaker
      recovers ||= verdict.recovers
      disables ??= verdict.disables
    }
    if (written.size > 0) yield* breakers.write(accountId, breaker)
    if (disables !== undefined) yield* breakers.disable(accountId, disables, now)
    if (recovers) yield* breakers.pullForward(accountId, now)
  })

  return {
    claimDeliveries: Effect.fn("Storage.claimDeliveries")((options) => transaction(claim(options))),
    claimForSubscriber: Effect.fn("Storage.claimForSubscriber")((options) => transaction(claimForSubscriber(options))),
    settleDeliveries: Effect.fn("Storage.settleDeliveries")(function*(options) {
      if (options.results.length === 0) return
      const arrived = options.results.every(({ result }) => result._tag === "Delivered")
      const simple = options.subscriber !== undefined || (arrived && (yield* statement(isHealthy(options.accountId))))
      yield* simple ? Effect.asVoid(statement(write(options))) : transaction(settle(options))
    })
  }
}
