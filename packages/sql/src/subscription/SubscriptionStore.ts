/** Subscribers inside the host's processes, whose deliveries are claimed and settled like the webhook endpoint's. */
import { type Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import { claimDeliveries } from "../webhook/DeliveryStore.ts"

export const make = ({ sql, statement, transaction }: Database): Storage.SubscriptionStore["Service"] => ({
  put: Effect.fn("SubscriptionStore.put")(({ accountId, events, name, now }) =>
    transaction(Effect.gen(function*() {
      // Index: primary key.
      yield* sql`
        insert into outdial_subscribers (account_id, name, events, created_at)
        values (${accountId}, ${name}, ${events}::text[], ${DateTime.toDateUtc(now)})
        on conflict (account_id, name) do update
        set events = excluded.events`
      // Index: outdial_deliveries_given_up, which has only deliveries that subscribers failed to handle.
      yield* sql`
        update outdial_deliveries
        set state = 'pending',
          attempts = 0,
          due_at = ${DateTime.toDateUtc(now)}
        where account_id = ${accountId}
          and subscriber = ${name}
          and subscriber <> ''
          and state = 'exhausted'`
    }))
  ),

  delete: Effect.fn("SubscriptionStore.delete")(({ accountId, name }) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. Waits for transactions that write deliveries, so that the next statement finds theirs too.
      yield* sql`
        delete from outdial_subscribers as s
        where s.account_id = ${accountId}
          and s.name = ${name}`
      // Indexes: outdial_deliveries_open, outdial_deliveries_given_up. Other deliveries are deleted with their events.
      yield* sql`
        delete from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.subscriber = ${name}
          and d.subscriber <> ''
          and (d.state in ('pending', 'sending') or d.state = 'exhausted')`
    }))
  ),

  due: Effect.fn("SubscriptionStore.due")((keys) =>
    keys.length === 0 ? Effect.succeed([]) : statement(Effect.map(
      // Indexes: outdial_deliveries_open and outdial_deliveries_sending, a row or a few for each. A plain read.
      sql<{ readonly account_id: Ids.AccountId; readonly name: string; readonly due_at: Date }>`
        select k.account_id, k.name, due.due_at
        from unnest(${keys.map(({ accountId }) => accountId)}::text[], ${keys.map(({ name }) => name)}::text[])
          as k (account_id, name)
        cross join lateral (
          select count(*) as sending, min(d.due_at) as first_lease
          from outdial_deliveries as d
          where d.account_id = k.account_id
            and d.subscriber = k.name
            and d.state = 'sending'
        ) as flight
        cross join lateral (
          select case
            when flight.sending < ${Limits.deliveriesInFlight}::int
            then (
              select d.due_at
              from outdial_deliveries as d
              where d.account_id = k.account_id
                and d.subscriber = k.name
                and d.state in ('pending', 'sending')
              order by d.due_at
              limit 1
            )
            else flight.first_lease
          end as due_at
        ) as due
        where due.due_at is not null`,
      (rows) =>
        rows.map(({ account_id, due_at, name }) => ({
          accountId: account_id,
          name,
          dueAt: DateTime.fromDateUnsafe(due_at)
        }))
    ))
  ),

  claim: Effect.fn("SubscriptionStore.claim")((options) =>
    transaction(Effect.gen(function*() {
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
        yield* claimDeliveries<EventRows.SubscriberDeliveryRow>(sql, {
          ...options,
          subscriber: options.name,
          limit: room,
          room,
          ahead: 0,
          probe: false,
          generation: 0
        })
      )
    }))
  )
})
