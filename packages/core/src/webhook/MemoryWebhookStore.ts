/** Webhook endpoints, and reading events and the log of their deliveries. */
import { Effect, Option } from "effect"
import { deliveryId } from "../domain/Ids.ts"
import * as Page from "../domain/Page.ts"
import { rotated } from "../domain/WebhookEndpoint.ts"
import * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import type { Storage } from "../engine/Storage.ts"
import { stateOf, toRecord } from "./DeliveryRecords.ts"
import { pullForward } from "./MemoryDeliveryStore.ts"
import { type Database, isOpen, isWithin, tablesOf } from "../storage/MemoryTables.ts"

export const methods = (db: Database) =>
  ({
    setWebhook: (endpoint) =>
      Effect.sync(() => {
        const tables = tablesOf(db, endpoint.accountId)
        const { breaker, webhook } = tables
        const now = endpoint.updatedAt
        if (webhook !== undefined) {
          const reset = CircuitBreaker.reset(breaker, { now, before: webhook, after: endpoint })
          tables.breaker = reset.breaker
          if (reset.renews) tables.generation += 1
          if (reset.recovers) pullForward(tables, now)
        }
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
    listSealedOtherwise: ({ after, keyIds, limit }) =>
      Effect.sync(() =>
        [...db.accounts.values()].flatMap(({ webhook }) => webhook === undefined ? [] : [webhook])
          .filter(({ previousSecrets, secret }) =>
            [secret, ...previousSecrets.map((previous) => previous.secret)].some(({ keyId }) => !keyIds.includes(keyId))
          )
          .filter(({ accountId }) => Option.isNone(after) || accountId > after.value)
          .sort((a, b) => a.accountId < b.accountId ? -1 : 1)
          .slice(0, limit)
      ),
    resealSecrets: ({ from, previousSecrets, secret }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, from.accountId)
        if (tables.webhook?.secret.ciphertext !== from.secret.ciphertext) return false
        tables.webhook = { ...tables.webhook, secret, previousSecrets }
        return true
      }),
    deleteWebhook: (accountId) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        tables.webhook = undefined
        tables.breaker = CircuitBreaker.closed
        for (
          const { again: _again, generation: _generation, token: _token, ...delivery } of tables.deliveries.values()
        ) {
          if (delivery.subscriber === undefined && isOpen(delivery)) {
            tables.deliveries.set(delivery.id, { ...delivery, state: "dropped" })
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
          isErased: tables.erasedEvents.has(id),
          delivery: Option.map(Option.fromUndefinedOr(delivery), (delivery) => ({
            attempts: delivery.attempts,
            state: stateOf(tables, delivery)
          }))
        })
      }),
    listEvents: ({ accountId, filter, page }) =>
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
    getDelivery: (accountId, id) =>
      Effect.sync(() => {
        const tables = db.accounts.get(accountId)
        const delivery = tables?.deliveries.get(id)
        return tables === undefined || delivery === undefined || delivery.subscriber !== undefined
          ? Option.none()
          : Option.map(Option.fromUndefinedOr(tables.events.get(delivery.eventId)), toRecord(tables, delivery))
      }),
    listDeliveries: ({ accountId, filter, page }) =>
      Effect.sync(() => {
        const tables = db.accounts.get(accountId)
        if (tables === undefined) return { items: [], hasMore: false }
        const records = [...tables.deliveries.values()].flatMap((delivery) => {
          const event = delivery.subscriber === undefined ? tables.events.get(delivery.eventId) : undefined
          return event === undefined ? [] : [toRecord(tables, delivery)(event)]
        })
        const wanted = records.filter((record) =>
          isWithin(record.createdAt, filter) &&
          (filter.callId === undefined || record.callId === filter.callId) &&
          (filter.eventId === undefined || record.eventId === filter.eventId) &&
          (filter.states === undefined || filter.states.includes(record.state))
        )
        return Page.cut(wanted.sort(Page.compare), page)
      })
  }) satisfies Partial<Storage["Service"]>
