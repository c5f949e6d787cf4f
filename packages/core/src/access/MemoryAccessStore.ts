/** API keys and rate limits in memory. */
import { DateTime, Effect, Option } from "effect"
import * as ApiKey from "../domain/ApiKey.ts"
import * as RequestWindow from "../rules/access/RequestWindow.ts"
import { type Database, tablesOf } from "../storage/MemoryTables.ts"
import type { AccessStore } from "./AccessStore.ts"

const takeFrom = (
  windows: Map<string, RequestWindow.RequestWindow>,
  name: string,
  { limit, now }: { readonly limit: number; readonly now: DateTime.Utc }
): RequestWindow.Verdict => {
  const second = Math.floor(now.epochMilliseconds / 1000)
  const { verdict, window } = RequestWindow.take(windows.get(name), { limit, second })
  windows.set(name, window)
  return verdict
}

export const make = (db: Database): AccessStore["Service"] => ({
  addApiKey: (key) => Effect.sync(() => void db.apiKeys.set(key.hash, key)),
  admit: ({ hash, limit, now }) =>
    Effect.sync(() => {
      const key = db.apiKeys.get(hash)
      if (key === undefined) return Option.none()
      if (!ApiKey.isUsable(key, now)) return Option.some({ key, verdict: Option.none() })
      const used = { ...key, lastUsedAt: DateTime.startOf(now, "minute") }
      db.apiKeys.set(hash, used)
      const verdict = takeFrom(tablesOf(db, key.accountId).windows, key.id, { limit, now })
      return Option.some({ key: used, verdict: Option.some(verdict) })
    }),
  takeFromWindow: ({ accountId, limit, name, now }) =>
    Effect.sync(() => takeFrom(tablesOf(db, accountId).windows, name, { limit, now })),
  listApiKeys: (accountId) =>
    Effect.sync(() => [...db.apiKeys.values()].filter((key) => key.accountId === accountId).reverse()),
  usableApiKeys: ({ keys, now }) =>
    Effect.sync(() => {
      const usable = new Map(
        [...db.apiKeys.values()].filter((key) => ApiKey.isUsable(key, now)).map((key) => [key.id, key.accountId])
      )
      return new Set(keys.filter(({ accountId, id }) => usable.get(id) === accountId).map(({ id }) => id))
    }),
  revokeApiKey: ({ accountId, id, now }) =>
    Effect.sync(() => {
      const key = [...db.apiKeys.values()].find((key) => key.id === id && key.accountId === accountId)
      if (key !== undefined) db.apiKeys.set(key.hash, { ...key, revokedAt: key.revokedAt ?? now })
      return key !== undefined
    })
})
