/** Webhook endpoints, deliveries and events. */
import { DateTime, Effect, Option } from "effect"
import type { EventRecord } from "../../domain/Event.ts"
import { deliveryId } from "../../domain/Ids.ts"
import * as Limits from "../../domain/Limits.ts"
import * as Page from "../../domain/Page.ts"
import { rotated, signingSecrets } from "../../domain/WebhookEndpoint.ts"
import type { DeliveryRecord, Storage } from "../Storage.ts"
import { type Database, type Delivery, isDue, isOpen, isWithin, tablesOf } from "./Tables.ts"

export const methods = (db: Database) =>
  ({
    setWebhook: (endpoint) =>
      Effect.sync(() => {
        const tables = tablesOf(db, endpoint.accountId)
        const { webhook } = tables
        tables.webhook = webhook === undefined
          ? endpoint
          : {
            ...endpoint,
            secret: webhook.secret,
            previousSecrets: webhook.previousSecrets,
            createdAt: webhook.createdAt
          }
        return { endpoint: tables.webhook, created: webhook === undefined }
      }),
    getWebhook: (accountId) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(accountId)?.webhook)),
    rotateSecret: ({ accountId, ...options }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        if (tables.webhook === undefined) return Option.none()
        const rotation = rotated(tables.webhook, options)
        if (rotation._tag === "Rotated") tables.webhook = rotation.endpoint
        return Option.some(rotation)
      }),
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
            secrets: signingSecrets(webhook, now),
            body: event.body
          }]
        })
      }),
    settleDeliveries: ({ accountId, results, token }) =>
      Effect.sync(() => {
        const { deliveries } = tablesOf(db, accountId)
        for (const { attempt, deliveryId, result } of results) {
          const delivery = deliveries.get(deliveryId)
          if (delivery?.state !== "sending" || delivery.token !== token) continue
          const { token: _, ...settled } = delivery
          const rest = { ...settled, log: [...delivery.log, attempt] }
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
      }),
    listEvents: ({ accountId, filter, page }) =>
      Effect.sync(() => {
        const events = [...db.accounts.get(accountId)?.events.values() ?? []].filter((event) =>
          isWithin(event.createdAt, filter) &&
          (filter.callId === undefined || event.callId === filter.callId) &&
          (filter.type === undefined || event.type === filter.type)
        )
        return Page.cut(events.sort(Page.compare), page)
      }),
    getDelivery: (accountId, id) =>
      Effect.sync(() => {
        const tables = db.accounts.get(accountId)
        return Option.flatMap(
          Option.fromUndefinedOr(tables?.deliveries.get(id)),
          (delivery) => Option.map(Option.fromUndefinedOr(tables?.events.get(delivery.eventId)), toRecord(delivery))
        )
      }),
    listDeliveries: ({ accountId, filter, page }) =>
      Effect.sync(() => {
        const tables = db.accounts.get(accountId)
        const records = [...tables?.deliveries.values() ?? []].flatMap((delivery) => {
          const event = tables?.events.get(delivery.eventId)
          return event === undefined ? [] : [toRecord(delivery)(event)]
        })
        const wanted = records.filter((record) =>
          isWithin(record.createdAt, filter) &&
          (filter.callId === undefined || record.callId === filter.callId) &&
          (filter.eventId === undefined || record.eventId === filter.eventId) &&
          (filter.state === undefined || record.state === filter.state)
        )
        return Page.cut(wanted.sort(Page.compare), page)
      })
  }) satisfies Partial<Storage["Service"]>

const toRecord =
  ({ dueAt, eventId, id, log, state }: Delivery) => ({ callId, createdAt, type }: EventRecord): DeliveryRecord => ({
    id,
    eventId,
    callId,
    type,
    state,
    createdAt,
    ...(state === "pending" && { nextAttemptAt: dueAt }),
    attempts: log
  })
