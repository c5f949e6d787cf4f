/** Webhook endpoints, deliveries and events. */
import { DateTime, Effect, Option } from "effect"
import { deliveryId } from "../../domain/Ids.ts"
import * as Limits from "../../domain/Limits.ts"
import type { Storage } from "../Storage.ts"
import { type Database, isDue, isOpen, tablesOf } from "./Tables.ts"

export const methods = (db: Database) =>
  ({
    setWebhook: (endpoint) =>
      Effect.sync(() => {
        const tables = tablesOf(db, endpoint.accountId)
        const { webhook } = tables
        tables.webhook = webhook === undefined
          ? endpoint
          : { ...endpoint, secret: webhook.secret, createdAt: webhook.createdAt }
        return { endpoint: tables.webhook, created: webhook === undefined }
      }),
    getWebhook: (accountId) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(accountId)?.webhook)),
    deleteWebhook: (accountId) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        tables.webhook = undefined
        for (const delivery of [...tables.deliveries.values()].filter(isOpen)) tables.deliveries.delete(delivery.id)
      }),

    claimDeliveries: ({ accountId, limit, now, token }) =>
      Effect.sync(() => {
        const { deliveries, events, webhook } = tablesOf(db, accountId)
        if (webhook?.enabled !== true) return []
        const all = [...deliveries.values()]
        const inFlight = all.filter((delivery) => delivery.state === "sending" && !isDue(delivery.dueAt, now)).length
        const due = all.filter((delivery) => isOpen(delivery) && isDue(delivery.dueAt, now)).sort((a, b) =>
          DateTime.Order(a.dueAt, b.dueAt)
        )
        const room = Math.min(limit, Limits.deliveriesInFlight - inFlight)
        return due.slice(0, Math.max(0, room)).flatMap((delivery) => {
          const event = events.get(delivery.eventId)
          if (event === undefined) return []
          // A lease that ran out was an attempt whose end nobody knows.
          const attempts = delivery.attempts + (delivery.state === "sending" ? 1 : 0)
          deliveries.set(delivery.id, {
            ...delivery,
            attempts,
            state: "sending",
            token,
            dueAt: DateTime.addDuration(now, Limits.deliveryLease)
          })
          return [{
            id: delivery.id,
            eventId: event.id,
            attempts,
            url: webhook.url,
            secrets: [webhook.secret],
            body: event.body
          }]
        })
      }),
    settleDeliveries: ({ accountId, results, token }) =>
      Effect.sync(() => {
        const { deliveries } = tablesOf(db, accountId)
        for (const { deliveryId, result } of results) {
          const delivery = deliveries.get(deliveryId)
          if (delivery?.state !== "sending" || delivery.token !== token) continue
          const { token: _, ...rest } = delivery
          const attempts = delivery.attempts + 1
          switch (result._tag) {
            case "Delivered":
              deliveries.set(deliveryId, { ...rest, attempts, state: "delivered" })
              break
            case "RetryAt":
              deliveries.set(deliveryId, { ...rest, attempts, state: "pending", dueAt: result.at })
              break
            case "Exhausted":
              deliveries.set(deliveryId, { ...rest, attempts, state: "exhausted" })
              break
            default:
              result satisfies never
          }
        }
      }),
    getEvent: (accountId, id) =>
      Effect.sync(() => {
        const tables = db.accounts.get(accountId)
        const event = tables?.events.get(id)
        if (tables === undefined || event === undefined) return Option.none()
        const delivery = tables.deliveries.get(deliveryId(id))
        return Option.some({
          ...event,
          delivery: Option.map(Option.fromUndefinedOr(delivery), ({ attempts, state }) => ({ attempts, state }))
        })
      })
  }) satisfies Partial<Storage["Service"]>
