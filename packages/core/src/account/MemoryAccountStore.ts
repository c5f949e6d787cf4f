/** Accounts in memory. */
import { Effect, Option } from "effect"
import * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import * as DueHeap from "../storage/DueHeap.ts"
import type { Database } from "../storage/MemoryTables.ts"
import type { AccountStore } from "./AccountStore.ts"

export const make = (db: Database): AccountStore["Service"] => ({
  put: (account, { ifExists } = { ifExists: "replace" }) =>
    Effect.sync(() => {
      const tables = db.accounts.get(account.id)
      if (tables !== undefined && ifExists === "keep") return tables.account
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
          expiring: DueHeap.make(),
          placed: [],
          live: new Set(),
          unprocessed: new Set(),
          unwantedRecordings: new Set(),
          conversations: new Map(),
          byNumber: new Map(),
          doNotCall: new Map(),
          closedLanes: new Map(),
          blockedUntil: undefined,
          waitsFor: undefined,
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
  update: (id, changes) =>
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
      tables.blockedUntil = undefined
      if (changes.policy !== undefined) tables.closedLanes.clear()
      return Option.some(tables.account)
    }),
  get: (id) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(id)?.account)),
  list: Effect.sync(() => [...db.accounts.values()].map((tables) => tables.account)),
  getDeployment: Effect.sync(() => ({ paused: db.deploymentPaused })),
  updateDeployment: ({ paused }) =>
    Effect.sync(() => {
      db.deploymentPaused = paused
    })
})
