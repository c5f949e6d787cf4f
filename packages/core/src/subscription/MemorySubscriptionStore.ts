/** Subscribers, the feed of events, completed batches, and the end of what is kept. */
import { DateTime, Effect } from "effect"
import { isFinal } from "../domain/Call.ts"
import { deliveryId, subscriberDeliveryId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as Page from "../domain/Page.ts"
import type { Storage } from "../engine/Storage.ts"
import { take } from "../webhook/MemoryDeliveryStore.ts"
import { stored } from "../call/MemoryCallStore.ts"
import { type Database, deliveryDueAt, isDue, isWanted, record, tablesOf } from "../storage/MemoryTables.ts"

export const methods = (db: Database) =>
  ({
    putSubscriber: ({ accountId, events, name, now }) =>
      Effect.sync(() => {
        const { deliveries, subscribers } = tablesOf(db, accountId)
        subscribers.set(name, events)
        for (const delivery of deliveries.values()) {
          if (delivery.subscriber !== name || delivery.state !== "exhausted") continue
          deliveries.set(delivery.id, { ...delivery, state: "pending", attempts: 0, dueAt: now })
        }
      }),
    deleteSubscriber: ({ accountId, name }) =>
      Effect.sync(() => {
        const { deliveries, subscribers } = tablesOf(db, accountId)
        subscribers.delete(name)
        for (const { id, subscriber } of deliveries.values()) if (subscriber === name) deliveries.delete(id)
      }),
    subscribersDue: (keys) =>
      Effect.sync(() =>
        keys.flatMap((key) => {
          const dueAt = deliveryDueAt(tablesOf(db, key.accountId), key.name, Limits.deliveriesInFlight)
          return dueAt === undefined ? [] : [{ ...key, dueAt }]
        })
      ),
    claimForSubscriber: ({ accountId, name, now, token }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        if (!tables.subscribers.has(name)) return []
        const room = Limits.deliveriesInFlight
        const claim = { accountId, now, token, limit: room, room, ahead: 0, subscriber: name, probe: false }
        return take(tables, claim).flatMap(({ attempts, eventId, id }) => {
          const event = tables.events.get(eventId)
          return event === undefined ? [] : [{ id, attempts, event }]
        })
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

    completeBatches: ({ accountId, event, limit, now }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const ended = [...tables.endedBatches].filter(([, at]) => isDue(at, now))
          .sort(([id, at], [otherId, otherAt]) => DateTime.Order(at, otherAt) || (id < otherId ? -1 : 1))
          .slice(0, limit)
        for (const [id] of ended) {
          tables.endedBatches.delete(id)
          const batch = tables.batches.get(id)
          if (batch === undefined || !isWanted(tables, "batch.completed")) continue
          const calls = [...tables.calls.values()].filter((call) => call.batchId === id)
          if (!calls.every((call) => isFinal(call.status) && call.outcomeState !== "pending")) continue
          const completed = event(stored(tables, batch))
          if (!tables.events.has(completed.id)) record(tables, completed)
        }
        return ended.length
      }),
    pruneEvents: ({ accountId, before, limit }) =>
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
  }) satisfies Partial<Storage["Service"]>
