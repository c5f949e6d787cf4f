/** Sealed secrets: those of webhook endpoints, and the erasure keys of accounts. */
import { type Ids, type SealedSecret, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as Rows from "../database/Rows.ts"

interface KeyRow {
  readonly id: Ids.AccountId
  readonly erasure_key: Rows.SecretDocument
}

export const make = ({ sql, statement }: Database): Storage.SecretStore["Service"] => ({
  listWebhooksNotUnder: Effect.fn("SecretStore.listWebhooksNotUnder")(({ after, keyIds, limit }) =>
    // Index: primary key, in its order. Reads the rows of every account, which operators request a few times a year.
    statement(Effect.map(
      sql<Rows.WebhookRow>`
      select w.*
      from outdial_webhooks as w
      where w.account_id > ${Option.getOrElse(after, () => "")}
        and (
          w.secret ->> 'key_id' <> all(${keyIds}::text[])
          or exists (
            select 1
            from json_array_elements(w.previous_secrets) as p
            where p -> 'secret' ->> 'key_id' <> all(${keyIds}::text[])
          )
        )
      order by w.account_id
      limit ${limit}`,
      (rows) => rows.map(Rows.toWebhook)
    ))
  ),

  replaceWebhookSecrets: Effect.fn("SecretStore.replaceWebhookSecrets")(({ from, previousSecrets, secret }) =>
    // Index: primary key. The ciphertext is the fence: a rotation in between has changed it.
    statement(Effect.map(
      sql`
      update outdial_webhooks as w
      set secret = ${Rows.fromSecret(secret)}::json,
        previous_secrets = ${Rows.fromPreviousSecrets(previousSecrets)}::json
      where w.account_id = ${from.accountId}
        and w.secret ->> 'ciphertext' = ${from.secret.ciphertext}
      returning w.account_id`,
      (rows) => rows.length > 0
    ))
  ),

  keepErasureKey: Effect.fn("SecretStore.keepErasureKey")(({ accountId, key }) =>
    // Index: primary key. Of concurrent keys the first one stays.
    statement(Effect.flatMap(
      sql<KeyRow>`
        update outdial_accounts as a
        set erasure_key = coalesce(a.erasure_key, ${Rows.fromSecret(key)}::json)
        where a.id = ${accountId}
        returning a.id, a.erasure_key`,
      ([row]): Effect.Effect<SealedSecret.SealedSecret> =>
        row === undefined
          ? Effect.die(new Error(`There is no account ${accountId}`))
          : Effect.succeed(Rows.toSecret(row.erasure_key))
    ))
  ),

  listErasureKeysNotUnder: Effect.fn("SecretStore.listErasureKeysNotUnder")(({ after, keyIds, limit }) =>
    // Index: primary key, in its order. Accounts are few.
    statement(Effect.map(
      sql<KeyRow>`
        select a.id, a.erasure_key
        from outdial_accounts as a
        where a.id > ${Option.getOrElse(after, () => "")}
          and a.erasure_key ->> 'key_id' <> all(${keyIds}::text[])
        order by a.id
        limit ${limit}`,
      (rows) => rows.map(({ erasure_key, id }) => ({ accountId: id, key: Rows.toSecret(erasure_key) }))
    ))
  ),

  replaceErasureKey: Effect.fn("SecretStore.replaceErasureKey")(({ accountId, by, key }) =>
    // Index: primary key.
    statement(Effect.map(
      sql`
        update outdial_accounts as a
        set erasure_key = ${Rows.fromSecret(by)}::json
        where a.id = ${accountId}
          and a.erasure_key ->> 'ciphertext' = ${key.ciphertext}
        returning a.id`,
      (rows) => rows.length > 0
    ))
  )
})
