/** Agents in memory. */
import { DateTime, Effect, Equal, Option } from "effect"
import * as Limits from "../domain/Limits.ts"
import { type Database, latest, tablesOf } from "../storage/MemoryTables.ts"
import type { AgentStore } from "./AgentStore.ts"

export const make = (db: Database): AgentStore["Service"] => ({
  put: ({ accountId, agent, now }) =>
    Effect.sync(() => {
      const { agents } = tablesOf(db, accountId)
      const versions = agents.get(agent.id) ?? []
      const current = latest(versions)
      if (current !== undefined) {
        const { archivedAt, createdAt: _, updatedAt: __, version: ___, ...definition } = current
        if (Equal.equals(definition, agent)) {
          if (archivedAt === undefined) return current
          const { archivedAt: ____, ...usable } = current
          agents.set(agent.id, [...versions.slice(0, -1), usable])
          return usable
        }
      }
      const written = { ...agent, version: versions.length + 1, createdAt: current?.createdAt ?? now, updatedAt: now }
      agents.set(agent.id, [...versions, written])
      return written
    }),
  archive: ({ accountId, id, now }) =>
    Effect.sync(() => {
      const { agents } = tablesOf(db, accountId)
      const versions = agents.get(id) ?? []
      const current = latest(versions)
      if (current === undefined) return Option.none()
      const archived = { ...current, archivedAt: current.archivedAt ?? now }
      agents.set(id, [...versions.slice(0, -1), archived])
      return Option.some(archived)
    }),
  get: (accountId, id) => Effect.sync(() => Option.fromUndefinedOr(latest(db.accounts.get(accountId)?.agents.get(id)))),
  list: (accountId) =>
    Effect.sync(() =>
      [...db.accounts.get(accountId)?.agents.values() ?? []].flatMap((versions) =>
        versions.slice(-1).filter(({ archivedAt }) => archivedAt === undefined)
      ).sort((a, b) => DateTime.Order(b.createdAt, a.createdAt) || (a.id < b.id ? 1 : -1))
    ),
  versions: (accountId, id) =>
    Effect.sync(() =>
      (db.accounts.get(accountId)?.agents.get(id) ?? []).map(({ name, updatedAt, version }) => ({
        name,
        version,
        createdAt: updatedAt
      })).reverse().slice(0, Limits.agentVersions)
    ),
  version: (accountId, id, version) =>
    Effect.sync(() => {
      const found = db.accounts.get(accountId)?.agents.get(id)?.find((one) => one.version === version)
      if (found === undefined) return Option.none()
      const { archivedAt: _, ...agent } = found
      return Option.some(agent)
    })
})
