/** The account's webhook endpoint. */
import { CircuitBreaker, type Storage, WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Breaker from "./Breaker.ts"
import type { Database } from "../database/Database.ts"
import * as EventRows from "../event/EventRows.ts"
import * as Rows from "../database/Rows.ts"

export const make = (database: Database): Storage.WebhookStore["Service"] => {
  const { sql, statement, transaction } = database
  const breakers = Breaker.make(database)

  const upsert = (endpoint: WebhookEndpoint.WebhookEndpoint) =>
    // Index: primary key. Waits for a claim of deliveries, which holds the row. `xmax` is 0 in a new row. Same as
    // `WebhookEndpoint.replaced`: no earlier read sees an endpoint that is set concurrently.
    Effect.flatMap(
      sql<Rows.WebhookRow & { readonly created: boolean }>`
        insert into outdial_webhooks as w (
          account_id, url, enabled, events, secret, previous_secrets, created_at, updated_at
        )
        values (
          ${endpoint.accountId}, ${endpoint.url}, ${endpoint.enabled}, ${endpoint.events}::text[],
          ${Rows.fromSecret(endpoint.secret)}::json, ${Rows.fromPreviousSecrets(endpoint.previousSecrets)}::json,
          ${DateTime.toDateUtc(endpoint.createdAt)}, ${DateTime.toDateUtc(endpoint.updatedAt)}
        )
        on conflict (account_id) do update
        set url = excluded.url,
          enabled = excluded.enabled,
          events = excluded.events,
          disabled_reason = null,
          disabled_at = null,
          updated_at = excluded.updated_at
        returning w.*, (w.xmax = 0) as created`,
      ([row]) =>
        row === undefined
          ? Effect.die(new Error("An upsert returns its row"))
          : Effect.succeed({ endpoint: Rows.toWebhook(row), created: row.created })
    )

  return {
    set: Effect.fn("WebhookStore.set")((endpoint) =>
      transaction(Effect.gen(function*() {
        const { accountId, updatedAt: now } = endpoint
        const [before] = yield* breakers.lock(accountId)
        const set = yield* upsert(endpoint)
        if (before === undefined) return set
        const { breaker, recovers, renews } = CircuitBreaker.reset(Breaker.toBreaker(before), {
          now,
          before,
          after: endpoint
        })
        if (!renews) return set
        yield* breakers.write(accountId, breaker)
        yield* breakers.renew(accountId)
        if (recovers) yield* breakers.makeDueNow(accountId, now)
        return set
      }))
    ),

    get: Effect.fn("WebhookStore.get")((accountId) =>
      // Index: primary key. A plain read.
      statement(Effect.map(
        sql<Rows.WebhookRow>`
        select w.*
        from outdial_webhooks as w
        where w.account_id = ${accountId}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toWebhook)
      ))
    ),

    rotateSecret: Effect.fn("WebhookStore.rotateSecret")(({ accountId, ...options }) =>
      transaction(Effect.gen(function*() {
        // Index: primary key. The lock lets one rotation at a time count the valid secrets. A claim of deliveries skips
        // the row, and a change of a call does not wait for it.
        const [row] = yield* sql<Rows.WebhookRow>`
        select w.*
        from outdial_webhooks as w
        where w.account_id = ${accountId}
        for no key update`
        if (row === undefined) return Option.none()
        const rotation = WebhookEndpoint.rotated(Rows.toWebhook(row), options)
        if (rotation._tag === "Rotated") {
          const { previousSecrets, secret, updatedAt } = rotation.endpoint
          // Index: primary key. The row is locked.
          yield* sql`
          update outdial_webhooks
          set secret = ${Rows.fromSecret(secret)}::json,
            previous_secrets = ${Rows.fromPreviousSecrets(previousSecrets)}::json,
            updated_at = ${DateTime.toDateUtc(updatedAt)}
          where account_id = ${accountId}`
        }
        return Option.some(rotation)
      }))
    ),

    delete: Effect.fn("WebhookStore.delete")((accountId) =>
      transaction(Effect.gen(function*() {
        // Index: primary key. Waits for transactions that write deliveries, so that the next statement finds these.
        yield* sql`
        delete from outdial_webhooks as w
        where w.account_id = ${accountId}`
        // Index: outdial_deliveries_open. The log keeps dropped deliveries.
        yield* sql`
        update outdial_deliveries
        set state = 'dropped',
          claim_token = null,
          redeliver_requested = false
        where account_id = ${accountId}
          and subscriber = ${EventRows.webhook}
          and state in ('pending', 'sending')`
      }))
    )
  }
}
