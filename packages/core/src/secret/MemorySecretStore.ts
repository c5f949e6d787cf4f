/** Sealed secrets in memory. */
import { Effect, Option } from "effect"
import { type Database, tablesOf } from "../storage/MemoryTables.ts"
import type { SecretStore } from "./SecretStore.ts"

export const make = (db: Database): SecretStore["Service"] => ({
  listWebhooksNotUnder: ({ after, keyIds, limit }) =>
    Effect.sync(() =>
      [...db.accounts.values()].flatMap(({ webhook }) => webhook === undefined ? [] : [webhook])
        .filter(({ previousSecrets, secret }) =>
          [secret, ...previousSecrets.map((previous) => previous.secret)].some(({ keyId }) => !keyIds.includes(keyId))
        )
        .filter(({ accountId }) => Option.isNone(after) || accountId > after.value)
        .sort((a, b) => a.accountId < b.accountId ? -1 : 1)
        .slice(0, limit)
    ),
  replaceWebhookSecrets: ({ from, previousSecrets, secret }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, from.accountId)
      if (tables.webhook?.secret.ciphertext !== from.secret.ciphertext) return false
      tables.webhook = { ...tables.webhook, secret, previousSecrets }
      return true
    }),
  keepErasureKey: ({ accountId, key }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const kept = tables.account.erasureKey ?? key
      tables.account = { ...tables.account, erasureKey: kept }
      return kept
    }),
  listErasureKeysNotUnder: ({ after, keyIds, limit }) =>
    Effect.sync(() =>
      [...db.accounts.values()].flatMap(({ account: { erasureKey, id } }) =>
        erasureKey === undefined || keyIds.includes(erasureKey.keyId) ? [] : [{ accountId: id, key: erasureKey }]
      )
        .filter(({ accountId }) => Option.isNone(after) || accountId > after.value)
        .sort((a, b) => a.accountId < b.accountId ? -1 : 1)
        .slice(0, limit)
    ),
  replaceErasureKey: ({ accountId, by, key }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      if (tables.account.erasureKey?.ciphertext !== key.ciphertext) return false
      tables.account = { ...tables.account, erasureKey: by }
      return true
    })
})
