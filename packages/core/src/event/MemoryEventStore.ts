/** Events and the feed in memory. */
import { Effect, Option } from "effect"
import { deliveryId, subscriberDeliveryId } from "../domain/Ids.ts"
import * as Page from "../domain/Page.ts"
import { type Database, isDue, isWithin, tablesOf } from "../storage/MemoryTables.ts"
import { stateOf } from "../webhook/MemoryDeliveryRecords.ts"
import type { EventStore } from "./EventStore.ts"

export const make = (db: Database): EventStore["Service"] => ({
  get: (accountId, id) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      const event = tables?.events.get(id)
      if (tables === undefined || event === undefined) return Option.none()
      const delivery = tables.deliveries.get(deliveryId(id))
      return Option.some({
        ...event,
        isErased: tables.erasedEvents.has(id),
        delivery: Option.map(Option.fromUndefinedOr(delivery), (delivery) => ({
          attempts: delivery.attempts,
          state: stateOf(tables, delivery)
        }))
      })
    }),
  list: ({ accountId, filter, page }) =>
    Effect.sync(() => {
      const { erasedEvents } = tablesOf(db, accountId)
      const events = [...db.accounts.get(accountId)?.events.values() ?? []].filter((event) =>
        !erasedEvents.has(event.id) &&
        isWithin(event.createdAt, filter) &&
        (filter.callId === undefined || event.callId === filter.callId) &&
        (filter.type === undefined || event.type === filter.type)
      )
      return Page.cut(events.sort(Page.compare), page)
    }),
  readFeed: ({ accountId, after, limit }) =>
    Effect.sync(() => {
      const { erasedEvents, events, feed } = tablesOf(db, accountId)
      const placed = new Set(feed)
      feed.push(
        ...[...events.values()].filter(({ id }) => !placed.has(id)).sort((a, b) => -Page.compare(a, b)).map((
          { id }
        ) => id)
      )
      const items = feed.flatMap((id, index) => {
        const event = index < after ? undefined : events.get(id)
        return event === undefined || erasedEvents.has(id) ? [] : [{ ...event, position: index + 1 }]
      })
      return { items: items.slice(0, limit), hasMore: items.length > limit }
    }),
  prune: ({ accountId, before, limit }) =>
    Effect.sync(() => {
      const { deliveries, events, subscribers } = tablesOf(db, accountId)
      const old = [...events.values()].filter(({ createdAt }) => isDue(createdAt, before))
      for (const { id } of old.slice(0, limit)) {
        events.delete(id)
        deliveries.delete(deliveryId(id))
        for (const name of subscribers.keys()) deliveries.delete(subscriberDeliveryId(id, name))
      }
      return Math.min(old.length, limit)
    })
})
