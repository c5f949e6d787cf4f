/** Deliveries: claims up to the maximum in flight, and their results. The log and redelivery have files of their own. */
import { CircuitBreaker, type Ids, Limits, type Storage, WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import * as Breaker from "./Breaker.ts"
import * as DeliveryLog from "./DeliveryLog.ts"
import * as Redelivery from "./Redelivery.ts"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import * as Rows from "../database/Rows.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

interface Take extends Storage.ClaimWorkOptions {
  readonly subscriber: string
  /** Maximum number in flight. */
  readonly room: number
  /** Maximum number beyond that, if no other claimer has any in flight. */
  readonly ahead: number
  readonly probe: boolean
  /** Of the endpoint. */
  readonly generation: number
}

/** Claims due deliveries, up to the maximum in flight. */
export const claimDeliveries = <Row extends EventRows.ClaimedDeliveryRow>(
  sql: Database["sql"],
  { accountId, ahead, generation, limit, now, probe, room, subscriber, token }: Take
) => {
  const at = DateTime.toDateUtc(now)
  const isEndpoint = subscriber === EventRows.webhook
  // Indexes: outdial_deliveries_open in its order, outdial_deliveries_sending for what is in flight, and the primary key of
  // the events. Locked rows are found again by their `ctid`; a row that was written since the statement began is left to the
  // next claim. The lock skips a delivery that is being settled. A probe is claimed
  // even if it is not due; retries, which are few, are skipped while there are others. A delivery whose event was deleted
  // does not count: it would block the queue. A handler may crash its process, so an expired lease counts as an attempt; a receiver cannot, and gets
  // only the body.
  return sql<Row>`
    with due as (
      select d.ctid as place, d.due_at, e.account_id, e.call_id, e.batch_id, e.type, e.created_at, e.body
      from outdial_deliveries as d
      cross join lateral (
        select o.account_id, o.call_id, o.batch_id, o.type, o.created_at, o.body
        from outdial_events as o
        where o.account_id = ${accountId}
          and o.id = d.event_id
        ${PlannerHints.oneRow(sql)}
      ) as e
      where d.account_id = ${accountId}
        and d.subscriber = ${subscriber}
        and d.state in ('pending', 'sending')
        and ${
    probe
      ? sql`(d.state = 'pending' or d.due_at <= ${at})
        and (d.attempts = 0 or not exists (
          select 1
          from outdial_deliveries as f
          join outdial_events as g on g.account_id = f.account_id and g.id = f.event_id
          where f.account_id = ${accountId}
            and f.subscriber = ${subscriber}
            and f.state in ('pending', 'sending')
            and (f.state = 'pending' or f.due_at <= ${at})
            and f.attempts = 0
        ))`
      : sql`d.due_at <= ${at}`
  }
      order by d.due_at, d.id
      limit least(${limit}::int, greatest(0, (
        select ${room}::int - count(*)::int + case
          when count(*) = count(*) filter (where s.claim_token = ${token}) then ${ahead}::int
          else 0
        end
        from outdial_deliveries as s
        where s.account_id = ${accountId}
          and s.subscriber = ${subscriber}
          and s.state = 'sending'
          and s.due_at > ${at}
      )))
      for no key update of d skip locked
    )
    update outdial_deliveries as d
    set attempts = case when d.redeliver_requested then 0 else d.attempts + (d.state = 'sending' and ${!isEndpoint}::boolean)::int end,
      state = 'sending',
      cause = ${
    probe
      ? sql`'probe'`
      : sql`case when d.redeliver_requested then 'redeliver' when d.cause = 'probe' then 'schedule' else d.cause end`
  },
      redeliver_requested = false,
      generation = ${generation},
      claim_token = ${token},
      due_at = ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.deliveryLease))}
    from due
    where d.account_id = ${accountId}
      and d.ctid = any(array(select due.place from due))
      and d.ctid = due.place
    returning d.id, d.event_id, d.attempts, d.cause, due.due_at, due.body
      ${isEndpoint ? sql`` : sql`, due.account_id, due.call_id, due.batch_id, due.type, due.created_at`}`
}

export const make = (database: Database): Storage.DeliveryStore["Service"] => {
  const { sql, statement, transaction } = database
  const breakers = Breaker.make(database)

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimDeliveriesOptions) {
    const { accountId, now } = options
    const [row] = yield* breakers.lockForClaim(accountId, now)
    if (row === undefined) return []
    const endpoint = Rows.toWebhook(row)
    const breaker = Breaker.toBreaker(row)
    const secrets = WebhookEndpoint.signingSecrets(endpoint, now)
    const taken = yield* claimDeliveries(sql, {
      ...options,
      subscriber: EventRows.webhook,
      room: CircuitBreaker.room(breaker, now),
      ahead: CircuitBreaker.ahead(breaker, now, options.ahead ?? 0),
      probe: CircuitBreaker.isProbing(breaker),
      generation: row.generation
    })
    return EventRows.toClaimedDeliveries(taken, { url: endpoint.url, secrets })
  })

  const write = (
    { accountId, now, results, token }: Storage.SettleDeliveriesOptions,
    condition: Statement.Fragment = sql`true`
  ) =>
    // Index: primary key. The token is the fence against late
    // results, which are not logged either. If the owner has requested a redelivery meanwhile, the delivery starts again,
    // unless it arrived.
    sql<{ readonly delivery_id: Ids.DeliveryId; readonly generation: number }>`
      update outdial_deliveries as d
      set state = case when d.redeliver_requested and r.state <> 'delivered' then 'pending' else r.state end,
        attempts = case when d.redeliver_requested and r.state <> 'delivered' then 0 else d.attempts + r.counted::int end,
        cause = case
          when d.redeliver_requested and r.state <> 'delivered' then 'redeliver'
          when r.tried then 'schedule'
          else d.cause
        end,
        due_at = case
          when d.redeliver_requested and r.state <> 'delivered' then ${DateTime.toDateUtc(now)}
          else coalesce(r.due_at, d.due_at)
        end,
        redeliver_requested = false,
        claim_token = null,
        log = case when r.attempt is null then d.log else d.log || r.attempt end
      from json_to_recordset(${
      JSON.stringify(results.map((result) => EventRows.fromDeliveryResult(result, now)))
    }::json) as r (
        id text, state text, counted boolean, tried boolean, due_at timestamptz, attempt jsonb
      )
      where d.account_id = ${accountId}
        and d.id = ${PlannerHints.anyOf(sql, results.map(({ deliveryId }) => deliveryId))}
        and d.id = r.id
        and d.state = 'sending'
        and d.claim_token = ${token}
        and ${condition}
      returning d.id as delivery_id, d.generation`

  /** Whether successful deliveries change nothing of the endpoint, as `CircuitBreaker.isHealthy` says. */
  const isHealthy = (accountId: Ids.AccountId) =>
    // Index: primary key. A plain read: a success will follow a failure that is written concurrently.
    sql`exists (
          select 1
          from outdial_webhooks as w
          where w.account_id = ${accountId}
            and w.failures = 0
            and w.openings = 0
        )`

  const settle = Effect.fnUntraced(function*(options: Storage.SettleDeliveriesOptions) {
    const { accountId, now, results } = options
    const [row] = yield* breakers.lock(accountId)
    const written = new Map((yield* write(options)).map((settled) => [settled.delivery_id, settled.generation]))
    if (row === undefined) return Option.none()
    // Results of an earlier endpoint do not count for this one.
    const counted = results.filter(({ deliveryId }) => written.get(deliveryId) === row.generation)
    const { breaker, disables, recovers } = CircuitBreaker.fold(
      Breaker.toBreaker(row),
      counted.map(({ result }) => result),
      now
    )
    if (written.size > 0) yield* breakers.write(accountId, breaker)
    const isDisabled = disables !== undefined && (yield* breakers.disable(accountId, disables, now))
    if (recovers) yield* breakers.makeDueNow(accountId, now)
    for (const { deliveryId: id, result } of results) {
      if (result._tag !== "ProbeFailed" || !written.has(id)) continue
      const lastDueAt = yield* breakers.lastDueAt(accountId, id)
      yield* breakers.defer(accountId, id, CircuitBreaker.probeDueAt(breaker, { now, lastDueAt }))
    }
    return isDisabled ? Option.some(disables) : Option.none()
  })

  return {
    ...Redelivery.make(database),
    ...DeliveryLog.make(database),
    claim: Effect.fn("DeliveryStore.claim")((options) => transaction(claim(options))),
    settle: Effect.fn("DeliveryStore.settle")(function*(options) {
      if (options.results.length === 0) return Option.none()
      if (options.subscriber !== undefined) return yield* Effect.as(statement(write(options)), Option.none())
      const arrived = options.results.every(({ result }) => result._tag === "Delivered" || result._tag === "Returned")
      // The common case. If it writes nothing, the endpoint is not healthy, or the claim is lost.
      const written = arrived ? yield* statement(write(options, isHealthy(options.accountId))) : []
      return written.length > 0 ? Option.none() : yield* transaction(settle(options))
    })
  }
}
