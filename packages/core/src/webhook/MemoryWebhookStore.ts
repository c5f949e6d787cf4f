/** Webhook endpoints in memory. */
import { Effect, Option } from "effect"
import { replaced, rotated } from "../domain/WebhookEndpoint.ts"
import * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import * as DeliveryState from "../rules/webhook/DeliveryState.ts"
import { makeDueNow } from "./MemoryDeliveryStore.ts"
import { type Database, tablesOf } from "../storage/MemoryTables.ts"
import type { WebhookStore } from "./WebhookStore.ts"

export const make = (db: Database): WebhookStore["Service"] => ({
  set: (endpoint) =>
    Effect.sync(() => {
      const tables = tablesOf(db, endpoint.accountId)
      const { breaker, webhook } = tables
      const now = endpoint.updatedAt
      if (webhook !== undefined) {
        const reset = CircuitBreaker.reset(breaker, { now, before: webhook, after: endpoint })
        tables.breaker = reset.breaker
        if (reset.renews) tables.generation += 1
        if (reset.recovers) makeDueNow(tables, now)
      }
      tables.webhook = replaced(webhook, endpoint)
      return { endpoint: tables.webhook, created: webhook === undefined }
    }),
  get: (accountId) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(accountId)?.webhook)),
  rotateSecret: ({ accountId, ...options }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      if (tables.webhook === undefined) return Option.none()
      const rotation = rotated(tables.webhook, options)
      if (rotation._tag === "Rotated") tables.webhook = rotation.endpoint
      return Option.some(rotation)
    }),
  delete: (accountId) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      tables.webhook = undefined
      tables.breaker = CircuitBreaker.closed
      for (const { generation: _, token: __, ...delivery } of tables.deliveries.values()) {
        if (delivery.subscriber === undefined) tables.deliveries.set(delivery.id, DeliveryState.dropped(delivery))
      }
    })
})
