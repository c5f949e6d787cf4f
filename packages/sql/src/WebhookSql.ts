/** The account's webhook endpoint. */
import { type Storage, WebhookEndpoint } from "@outdial/core"
import { DateTime, Effect, Option, Redacted } from "effect"
import type { Database } from "./Database.ts"
import * as Rows from "./Rows.ts"

type WebhookSql = Pick<Storage.Storage["Service"], "setWebhook" | "getWebhook" | "rotateSecret" | "deleteWebhook">

export const make = ({ sql, statement, transaction }: Database): WebhookSql => ({
  setWebhook: Effect.fn("Storage.setWebhook")((endpoint) =>
    // Index: primary key. Waits for a claim of deliveries, which holds the row. `xmax` is 0 in a row that is new.
    statement(Effect.flatMap(
      sql<Rows.WebhookRow & { readonly created: boolean }>`
        insert into outdial_webhooks as w (
          account_id, url, enabled, events, secret, previous_secrets, created_at, updated_at
        )
        values (
          ${endpoint.accountId}, ${endpoint.url}, ${endpoint.enabled}, ${endpoint.events}::text[],
          ${Redacted.value(endpoint.secret)}, ${Rows.fromPreviousSecrets(endpoint.previousSecrets)}::json,
          ${DateTime.toDateUtc(endpoint.createdAt)}, ${DateTime.toDateUtc(endpoint.updatedAt)}
        )
        on conflict (account_id) do update
        set url = excluded.url,
          enabled = excluded.enabled,
          events = excluded.events,
          updated_at = excluded.updated_at
        returning w.*, (w.xmax = 0) as created`,
      ([row]) =>
        row === undefined
          ? Effect.die(new Error("An upsert returns its row"))
          : Effect.succeed({ endpoint: Rows.toWebhook(row), created: row.created })
    ))
  ),

  getWebhook: Effect.fn("Storage.getWebhook")((accountId) =>
    // Index: primary key. A plain read.
    statement(Effect.map(
      sql<Rows.WebhookRow>`
        select w.*
        from outdial_webhooks as w
        where w.account_id = ${accountId}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toWebhook)
    ))
  ),

  rotateSecret: Effect.fn("Storage.rotateSecret")(({ accountId, ...options }) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. The lock lets one rotation at a time count the secrets that are alive; a claim of deliveries
      // passes it over, and a change of a call does not wait for it.
      const [row] = yield* sql<Rows.WebhookRow>`
        select w.*
        from outdial_webhooks as w
        where w.account_id = ${accountId}
        for no key update`
      if (row === undefined) return Option.none()
      const rotation = WebhookEndpoint.rotated(Rows.toWebhook(row), options)
      if (rotation._tag === "Rotated") {
        const { previousSecrets, secret, updatedAt } = rotation.endpoint
        yield* sql`
          update outdial_webhooks
          set secret = ${Redacted.value(secret)},
            previous_secrets = ${Rows.fromPreviousSecrets(previousSecrets)}::json,
            updated_at = ${DateTime.toDateUtc(updatedAt)}
          where account_id = ${accountId}`
      }
      return Option.some(rotation)
    }))
  ),

  deleteWebhook: Effect.fn("Storage.deleteWebhook")((accountId) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. Waits for whoever is writing deliveries, so that the next statement finds theirs too.
      yield* sql`
        delete from outdial_webhooks as w
        where w.account_id = ${accountId}`
      // Indexes: outdial_deliveries_open; primary key of the attempts, which go with their delivery.
      yield* sql`
        with dropped as (
          delete from outdial_deliveries as d
          where d.account_id = ${accountId}
            and d.state in ('pending', 'sending')
          returning d.id
        )
        delete from outdial_delivery_attempts as t
        where t.account_id = ${accountId}
          and t.delivery_id = any(array(select dropped.id from dropped))`
    }))
  )
})
