/** Redelivery on the owner's request. */
import { Ids, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Breaker from "./Breaker.ts"
import type { Database } from "../database/Database.ts"
import * as DeliveryLog from "./DeliveryLog.ts"
import * as EventRows from "../event/EventRows.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Redelivery = Pick<Storage.DeliveryStore["Service"], "redeliver" | "recover">

export const make = (database: Database): Redelivery => {
  const { sql, transaction } = database
  const breakers = Breaker.make(database)
  const log = DeliveryLog.make(database)

  const redeliver = Effect.fnUntraced(function*(
    { accountId, eventId, now }: Parameters<Redelivery["redeliver"]>[0]
  ) {
    // Index: primary key. The lock prevents pruning until the delivery is written; skips an event that is being pruned.
    const events = yield* sql`
      select e.id
      from outdial_events as e
      where e.account_id = ${accountId}
        and e.id = ${eventId}
      for key share skip locked`
    if (events.length === 0) return { _tag: "NoEvent" } satisfies Storage.RedeliverResult
    const [endpoint] = yield* breakers.lock(accountId)
    if (endpoint === undefined) return { _tag: "NoWebhook" } satisfies Storage.RedeliverResult
    if (!endpoint.enabled) return { _tag: "Disabled" } satisfies Storage.RedeliverResult
    const id = Ids.deliveryId(eventId)
    // Indexes: primary keys. A delivery that is being sent is marked, for the sender that settles it.
    yield* sql`
      insert into outdial_deliveries as d (
        account_id, id, event_id, subscriber, state, attempts, cause, due_at, created_at
      )
      select e.account_id, ${id}, e.id, ${EventRows.webhook}, 'pending', 0, 'redeliver', ${DateTime.toDateUtc(now)},
        e.created_at
      from outdial_events as e
      where e.account_id = ${accountId}
        and e.id = ${eventId}
      on conflict (account_id, id) do update
      set state = case when d.state = 'sending' then d.state else 'pending' end,
        attempts = case when d.state in ('pending', 'sending') then d.attempts else 0 end,
        cause = case when d.state = 'sending' then d.cause else 'redeliver' end,
        due_at = case when d.state = 'sending' then d.due_at else excluded.due_at end,
        redeliver_requested = d.state = 'sending'`
    const delivery = yield* log.get(accountId, id)
    return Option.match(delivery, {
      onNone: (): Storage.RedeliverResult => ({ _tag: "NoEvent" }),
      onSome: (delivery): Storage.RedeliverResult => ({ _tag: "Redelivering", delivery })
    })
  })

  const recover = Effect.fnUntraced(function*({ accountId, limit, now, since, until }: Storage.RecoverOptions) {
    const [endpoint] = yield* breakers.lock(accountId)
    if (endpoint === undefined) return { _tag: "NoWebhook" } satisfies Storage.RecoverResult
    if (!endpoint.enabled) return { _tag: "Disabled" } satisfies Storage.RecoverResult
    const at = DateTime.toDateUtc(now)
    const deliveryId = EventRows.deliveryOf(sql, sql`e.id`)
    // Indexes: outdial_events_newest, backwards through the window, and the primary key for each of its events. Deliveries
    // that are being sent stay unchanged. The lock prevents pruning until the deliveries are written, and skips events that
    // are being pruned: no delivery is left without its event.
    const deliveries = yield* PlannerHints.plannedEachTime(sql`
      insert into outdial_deliveries as d (
        account_id, id, event_id, subscriber, state, attempts, cause, due_at, created_at
      )
      select e.account_id, ${deliveryId}, e.id, ${EventRows.webhook}, 'pending', 0, 'recover', ${at}, e.created_at
      from outdial_events as e
      left join outdial_deliveries as o on o.account_id = e.account_id and o.id = ${deliveryId}
      where e.account_id = ${accountId}
        and ${PlannerHints.isListed(sql, "e")}
        and e.created_at >= ${DateTime.toDateUtc(since)}
        and e.created_at < ${DateTime.toDateUtc(until)}
        and case o.state
          when 'exhausted' then true
          when 'dropped' then true
          when 'pending' then o.due_at > ${at}
          else o.state is null and e.type = any(${endpoint.events}::text[])
        end
      order by e.created_at, e.id
      limit ${limit}
      for key share of e skip locked
      on conflict (account_id, id) do update
      set state = 'pending',
        attempts = case when d.state = 'pending' then d.attempts else 0 end,
        cause = 'recover',
        due_at = excluded.due_at
      where d.state not in ('sending', 'delivered')
      returning d.id`)
    return { _tag: "Recovering", deliveries: deliveries.length } satisfies Storage.RecoverResult
  })

  return {
    redeliver: Effect.fn("DeliveryStore.redeliver")((options) => transaction(redeliver(options))),
    recover: Effect.fn("DeliveryStore.recover")((options) => transaction(recover(options)))
  }
}
