/** Subscribers in memory. */
import { Effect } from "effect"
import * as Limits from "../domain/Limits.ts"
import { type Database, deliveryDueAt, tablesOf } from "../storage/MemoryTables.ts"
import { claimDue } from "../webhook/MemoryDeliveryStore.ts"
import type { SubscriptionStore } from "./SubscriptionStore.ts"

export const make = (db: Database): SubscriptionStore["Service"] => ({
  put: ({ accountId, events, name, now }) =>
    Effect.sync(() => {
      const { deliveries, subscribers } = tablesOf(db, accountId)
      subscribers.set(name, events)
      for (const delivery of deliveries.values()) {
        if (delivery.subscriber !== name || delivery.state !== "exhausted") continue
        deliveries.set(delivery.id, { ...delivery, state: "pending", attempts: 0, dueAt: now })
      }
    }),
  delete: ({ accountId, name }) =>
    Effect.sync(() => {
      const { deliveries, subscribers } = tablesOf(db, accountId)
      subscribers.delete(name)
      for (const { id, subscriber } of deliveries.values()) if (subscriber === name) deliveries.delete(id)
    }),
  due: (keys) =>
    Effect.sync(() =>
      keys.flatMap((key) => {
        const dueAt = deliveryDueAt(tablesOf(db, key.accountId), key.name, Limits.deliveriesInFlight)
        return dueAt === undefined ? [] : [{ ...key, dueAt }]
      })
    ),
  claim: ({ accountId, name, now, token }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      if (!tables.subscribers.has(name)) return []
      const room = Limits.deliveriesInFlight
      const claim = { accountId, now, token, limit: room, room, ahead: 0, subscriber: name, probe: false }
      return claimDue(tables, claim).flatMap(({ attempts, eventId, id }) => {
        const event = tables.events.get(eventId)
        return event === undefined ? [] : [{ id, attempts, event }]
      })
    })
})
