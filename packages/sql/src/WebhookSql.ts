/** The account's webhook endpoint. */
import type { Storage } from "@outdial/core"
import { DateTime, Effect, Option, Redacted } from "effect"
import type { Database } from "./Database.ts"
import * as Rows from "./Rows.ts"

type WebhookSql = Pick<Storage.Storage["Service"], "setWebhook" | "getWebhook" | "deleteWebhook">

export const make = ({ sql, statement, transaction }: Database): WebhookSql => ({
  setWebhook: Effect.fn("Storage.setWebhook")((endpoint) =>
    // Index: primary key. Waits for a claim of deliveries, which holds the row. `xmax` is 0 in a row that is new.
    statement(Effect.flatMap(
      sql<Rows.WebhookRow & { readonly created: boolean }>`
        insert into outdial_webhooks as w (account_id, url, enabled, events, secret, created_at, updated_at)
        values (
          ${endpoint.accountId}, ${endpoint.url}, ${endpoint.enabled}, ${endpoint.events}::text[],
          ${Redacted.value(endpoint.secret)}, ${DateTime.toDateUtc(endpoint.createdAt)},
          ${DateTime.toDateUtc(endpoint.updatedAt)}
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

  deleteWebhook: Effect.fn("Storage.deleteWebhook")((accountId) =>
    transaction(Effect.gen(function*() {
      // Index: primary key. Waits for whoever is writing deliveries, so that the next statement finds theirs too.
      yield* sql`
        delete from outdial_webhooks as w
        where w.account_id = ${accountId}`
      // Index: outdial_deliveries_open.
      yield* sql`
        delete from outdial_deliveries as d
        where d.account_id = ${accountId}
          and d.state in ('pending', 'sending')`
    }))
  )
})
