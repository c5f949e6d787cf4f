/** API keys. The only table that is read before the account is known. */
import type { Ids, Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import * as Rows from "../database/Rows.ts"

type ApiKeys = Pick<Storage.AccessStore["Service"], "addApiKey" | "listApiKeys" | "revokeApiKey" | "usableApiKeys">

export const make = ({ sql, statement }: Database): ApiKeys => ({
  addApiKey: Effect.fn("AccessStore.addApiKey")((key) =>
    // Unique index: outdial_api_keys_hash. A key with the same hash replaces the earlier one.
    statement(Effect.asVoid(sql`
      insert into outdial_api_keys (
        account_id, id, name, hash, scopes, created_at, expires_at, revoked_at, last_used_at
      )
      values (
        ${key.accountId}, ${key.id}, ${key.name}, ${key.hash}, ${key.scopes}::text[],
        ${DateTime.toDateUtc(key.createdAt)}, ${date(key.expiresAt)}, ${date(key.revokedAt)},
        ${date(key.lastUsedAt)}
      )
      on conflict (hash) do update
      set account_id = excluded.account_id,
        id = excluded.id,
        name = excluded.name,
        scopes = excluded.scopes,
        created_at = excluded.created_at,
        expires_at = excluded.expires_at,
        revoked_at = excluded.revoked_at,
        last_used_at = excluded.last_used_at`))
  ),

  listApiKeys: Effect.fn("AccessStore.listApiKeys")((accountId) =>
    // Index: primary key; an account has few keys. A plain read.
    statement(Effect.map(
      sql<Rows.ApiKeyRow>`
        select k.*
        from outdial_api_keys as k
        where k.account_id = ${accountId}
        order by k.created_at desc, k.id desc`,
      (rows) => rows.map(Rows.toApiKey)
    ))
  ),

  usableApiKeys: Effect.fn("AccessStore.usableApiKeys")(({ keys, now }) =>
    // Index: primary key. A plain read.
    statement(Effect.map(
      sql<{ readonly id: Ids.ApiKeyId }>`
        select k.id
        from unnest(
          ${keys.map(({ accountId }) => accountId)}::text[], ${keys.map(({ id }) => id)}::text[]
        ) as r (account_id, id)
        join outdial_api_keys as k on k.account_id = r.account_id and k.id = r.id
        where k.revoked_at is null
          and (k.expires_at is null or k.expires_at > ${DateTime.toDateUtc(now)}::timestamptz)`,
      (rows) => new Set(rows.map(({ id }) => id))
    ))
  ),

  revokeApiKey: Effect.fn("AccessStore.revokeApiKey")(({ accountId, id, now }) =>
    // Index: primary key. One statement, so that the first of two revocations sets the time.
    statement(Effect.map(
      sql`
        update outdial_api_keys as k
        set revoked_at = coalesce(k.revoked_at, ${DateTime.toDateUtc(now)})
        where k.account_id = ${accountId}
          and k.id = ${id}
        returning k.id`,
      (rows) => rows.length > 0
    ))
  )
})

const date = (at: DateTime.Utc | undefined) => at === undefined ? null : DateTime.toDateUtc(at)
