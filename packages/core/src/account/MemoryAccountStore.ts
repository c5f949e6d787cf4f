/** What owners set: accounts, agents, keys. */
import { DateTime, Effect, Equal, Option } from "effect"
import * as ApiKey from "../domain/ApiKey.ts"
import * as Limits from "../domain/Limits.ts"
import * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import * as RequestWindow from "../rules/access/RequestWindow.ts"
import type { Storage } from "../engine/Storage.ts"
import * as Agenda from "../storage/DueHeap.ts"
import { type Database, isDue, latest, tablesOf } from "../storage/MemoryTables.ts"

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

export const methods = (db: Database) =>
  ({
    putAccount: (account, { unlessThere } = { unlessThere: false }) =>
      Effect.sync(() => {
        const tables = db.accounts.get(account.id)
        if (tables !== undefined && unlessThere) return tables.account
        const written = {
          ...account,
          epoch: (tables?.account.epoch ?? 0) + 1,
          planVersion: (tables?.account.planVersion ?? 0) + 1,
          createdAt: tables?.account.createdAt ?? account.createdAt,
          ...(tables?.account.erasureKey !== undefined && { erasureKey: tables.account.erasureKey })
        }
        if (tables !== undefined) {
          tables.account = written
          tables.blockedUntil = undefined
          tables.closedLanes.clear()
        } else {
          db.accounts.set(account.id, {
            account: written,
            agents: new Map(),
            calls: new Map(),
            waiting: new Map(),
            lanes: new Map(),
            expiring: Agenda.make(),
            placed: [],
            live: new Set(),
            unprocessed: new Set(),
            byNumber: new Map(),
            doNotCall: new Map(),
            closedLanes: new Map(),
            blockedUntil: undefined,
            batches: new Map(),
            windows: new Map(),
            idempotency: new Map(),
            events: new Map(),
            erasedEvents: new Set(),
            erasedCallees: new Map(),
            usage: new Map(),
            foldedUntil: undefined,
            deliveries: new Map(),
            breaker: CircuitBreaker.closed,
            generation: 0,
            subscribers: new Map(),
            endedBatches: new Map(),
            feed: [],
            webhook: undefined
          })
        }
        return written
      }),
    updateAccount: (id, changes) =>
      Effect.sync(() => {
        const tables = db.accounts.get(id)
        if (tables === undefined) return Option.none()
        const { epoch, planVersion } = tables.account
        tables.account = {
          ...tables.account,
          ...changes,
          epoch: epoch + 1,
          planVersion: changes.policy === undefined ? planVersion : planVersion + 1
        }
        // Whatever held the account up is looked at again.
        tables.blockedUntil = undefined
        if (changes.policy !== undefined) tables.closedLanes.clear()
        return Option.some(tables.account)
      }),
    getAccount: (id) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(id)?.account)),
    listAccounts: Effect.sync(() => [...db.accounts.values()].map((tables) => tables.account)),
    pauseDeployment: (paused) =>
      Effect.sync(() => {
        db.deploymentPaused = paused
      }),
    deploymentPaused: Effect.sync(() => db.deploymentPaused),
    adoptTimeZones: ({ isStarting, now, version }) =>
      Effect.sync(() => {
        const adopted = db.timeZones
        const isFree = adopted === undefined || isDue(DateTime.addDuration(adopted.at, Limits.timeZonesLease), now)
        if (adopted?.version !== version && !isStarting && !isFree) return false
        db.timeZones = { version, at: now }
        return true
      }),

    putAgent: ({ accountId, agent, now }) =>
      Effect.sync(() => {
        const { agents } = tablesOf(db, accountId)
        const versions = agents.get(agent.id) ?? []
        const current = latest(versions)
        if (current !== undefined) {
          const { createdAt: _, updatedAt: __, version: ___, ...definition } = current
          if (Equal.equals(definition, agent)) return current
        }
        const written = { ...agent, version: versions.length + 1, createdAt: current?.createdAt ?? now, updatedAt: now }
        agents.set(agent.id, [...versions, written])
        return written
      }),
    getAgent: (accountId, id) =>
      Effect.sync(() => Option.fromUndefinedOr(latest(db.accounts.get(accountId)?.agents.get(id)))),
    listAgents: (accountId) =>
      Effect.sync(() =>
        [...db.accounts.get(accountId)?.agents.values() ?? []].flatMap((versions) => versions.slice(-1)).sort((a, b) =>
          DateTime.Order(b.createdAt, a.createdAt) || (a.id < b.id ? 1 : -1)
        )
      ),

    addApiKey: (key) => Effect.sync(() => void db.apiKeys.set(key.hash, key)),
    useApiKey: ({ hash, limit, now }) =>
      Effect.sync(() => {
        const key = db.apiKeys.get(hash)
        if (key === undefined) return Option.none()
        if (!ApiKey.isUsable(key, now)) return Option.some({ key, verdict: Option.none() })
        const used = { ...key, lastUsedAt: DateTime.startOf(now, "minute") }
        db.apiKeys.set(hash, used)
        const verdict = takeFrom(tablesOf(db, key.accountId).windows, key.id, { limit, now })
        return Option.some({ key: used, verdict: Option.some(verdict) })
      }),
    takeRequest: ({ accountId, limit, name, now }) =>
      Effect.sync(() => takeFrom(tablesOf(db, accountId).windows, name, { limit, now })),
    listApiKeys: (accountId) =>
      Effect.sync(() => [...db.apiKeys.values()].filter((key) => key.accountId === accountId).reverse()),
    revokeApiKey: ({ accountId, id, now }) =>
      Effect.sync(() => {
        const key = [...db.apiKeys.values()].find((key) => key.id === id && key.accountId === accountId)
        if (key !== undefined) db.apiKeys.set(key.hash, { ...key, revokedAt: key.revokedAt ?? now })
        return key !== undefined
      })
  }) satisfies Partial<Storage["Service"]>
