/**
 * Claims deliveries in the transaction that writes their events, for a sender in the same process, which saves a query. The
 * result is the same as of a claim right afterwards. If a lock is held, the deliveries are left to the next claim.
 */
import { CircuitBreaker, Ids, Limits, type Storage, WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as Breaker from "./Breaker.ts"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import * as Outbox from "../event/Outbox.ts"
import * as Rows from "../database/Rows.ts"

/** Of a transaction that writes events. */
interface Options {
  readonly accountId: Ids.AccountId
  readonly now: DateTime.Utc
  readonly sender?: Storage.DeliverySender | undefined
}

interface Write extends Options {
  readonly sender: Storage.DeliverySender
  readonly deliveries: ReadonlyArray<EventRows.NewDelivery>
  /** Maximum number in flight. */
  readonly room: number
  /** Of the endpoint. */
  readonly generation: number
}

export const make = (database: Database, outbox: Outbox.Outbox) => {
  const { inTransaction, sql, transaction } = database
  const breakers = Breaker.make(database)

  /** Writes the deliveries; returns those that are claimed: the first ones, as far as there is room. */
  const write = ({ accountId, deliveries, generation, now, room, sender }: Write) => {
    const at = DateTime.toDateUtc(now)
    const { ahead = 0, limit, token } = sender
    // Primary key, and indexes: outdial_deliveries_sending for what is in flight; outdial_deliveries_open, the first row, for
    // deliveries that go first. A separate statement after the lock of the endpoint, so that it sees every earlier claim.
    return sql<{ readonly id: Ids.DeliveryId }>`
      with flight as (
        select ${room}::int - count(*)::int + case
            when count(*) = count(*) filter (where s.claim_token = ${token}) then ${ahead}::int
            else 0
          end as room
        from outdial_deliveries as s
        where s.account_id = ${accountId}
          and s.subscriber = ${EventRows.webhook}
          and s.state = 'sending'
          and s.due_at > ${at}
      ), added as (
        insert into outdial_deliveries (
          account_id, id, event_id, subscriber, state, attempts, cause, due_at, created_at, generation, claim_token
        )
        select ${accountId}, r.id, r.event_id, r.subscriber, case when r.claimed then 'sending' else 'pending' end, 0,
          'schedule', case when r.claimed then ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.deliveryLease))}
          else r.created_at end, r.created_at, case when r.claimed then ${generation}::int else 0 end,
          case when r.claimed then ${token} end
        from (
          select r.*, r.subscriber = ${EventRows.webhook}
            and row_number() over (partition by r.subscriber order by r.created_at, r.id) <= least(${limit}::int, flight.room)
            and not exists (
              select 1
              from outdial_deliveries as d
              where d.account_id = ${accountId}
                and d.subscriber = ${EventRows.webhook}
                and d.state in ('pending', 'sending')
                and d.due_at <= ${at}
            ) as claimed
          from flight
          cross join json_to_recordset(${JSON.stringify(deliveries)}::json) as r (
            id text, event_id text, subscriber text, created_at timestamptz
          )
        ) as r
        returning id, state
      )
      select a.id
      from added as a
      where a.state = 'sending'`
  }

  /** Locks the endpoint if it is healthy. */
  const lockIfHealthy = Effect.fnUntraced(function*({ accountId, now }: Options) {
    const [row] = yield* breakers.lockForClaim(accountId, now)
    if (row === undefined) return undefined
    const breaker = Breaker.toBreaker(row)
    if (!CircuitBreaker.isAtFullRate(breaker, now)) return undefined
    const { url, ...endpoint } = Rows.toWebhook(row)
    return {
      url,
      secrets: WebhookEndpoint.signingSecrets({ url, ...endpoint }, now),
      room: CircuitBreaker.room(breaker, now),
      generation: row.generation
    }
  })

  /**
   * Writes the deliveries of these events, and claims as many for the sender as it has room for. The last step of its
   * transaction: while it holds the endpoint it waits for no lock.
   */
  const deliver = Effect.fnUntraced(function*(
    { accountId, now, sender }: Options,
    written: Outbox.WrittenEvents
  ): Effect.fn.Return<Storage.ClaimedOnWrite, SqlError.SqlError> {
    const deliveries = Outbox.deliveriesOf(written)
    const isSent = deliveries.some(({ subscriber }) => subscriber === EventRows.webhook)
    const endpoint = isSent && sender !== undefined ? yield* lockIfHealthy({ accountId, now }) : undefined
    if (endpoint === undefined || sender === undefined) {
      yield* outbox.deliver(accountId, deliveries)
      return { deliveries: [], isMore: deliveries.length > 0 }
    }
    const { generation, room, secrets, url } = endpoint
    const rows = yield* write({ accountId, now, sender, deliveries, room, generation })
    const claimed = new Set(rows.map(({ id }) => id))
    return {
      deliveries: written.events
        .map(({ body, createdAt, id }): Storage.ClaimedDelivery => ({
          id: Ids.deliveryId(id),
          eventId: id,
          attempts: 0,
          cause: "schedule",
          dueAt: createdAt,
          url,
          secrets,
          body
        }))
        .filter(({ id }) => claimed.has(id))
        .sort((a, b) => DateTime.Order(a.dueAt, b.dueAt) || (a.id < b.id ? -1 : 1)),
      isMore: claimed.size < deliveries.length
    }
  })

  /** A transaction that ends with `deliver`. A host's transaction may still be rolled back, so it claims nothing. */
  const unit = <A, E, O extends Options>(
    options: O,
    work: (options: O) => Effect.Effect<A, E | SqlError.SqlError>
  ) =>
    Effect.flatMap(
      inTransaction,
      (nested) => transaction(work(nested ? { ...options, sender: undefined } : options))
    )

  return { deliver, unit }
}
