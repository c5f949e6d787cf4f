/** Accounts in memory. */
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../domain/Account.ts"
import * as HoldPeriods from "../rules/call/HoldPeriods.ts"
import * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import * as DueHeap from "../storage/DueHeap.ts"
import type { Database, Tables } from "../storage/MemoryTables.ts"
import type { AccountStore, ChangedAt } from "./AccountStore.ts"

const timeOf = ({ now }: ChangedAt) => now === undefined ? DateTime.now : Effect.succeed(now)

/** Writes the account: its reasons to wait are checked again. */
const change = (tables: Tables, account: Account, now: DateTime.Utc) => {
  tables.account = account
  tables.blockedUntil = undefined
  tables.periods = HoldPeriods.after(tables.periods, HoldPeriods.bySettings(account, tables.live.size), now)
}

/** Opens the lanes of earlier plans. Their periods stay for the calls that have not been replanned. */
const openLanes = ({ closedLanes, lanes }: Tables) => {
  for (const [lane, closed] of closedLanes) {
    if (lanes.has(lane)) closedLanes.set(lane, { ...closed, until: DateTime.makeUnsafe(0) })
    else closedLanes.delete(lane)
  }
}

export const make = (db: Database): AccountStore["Service"] => ({
  put: (account, { ifExists = "replace", ...options } = {}) =>
    Effect.map(timeOf(options), (now) => {
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
        change(tables, written, now)
        openLanes(tables)
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
          periods: HoldPeriods.after([], HoldPeriods.bySettings(written, 0), now),
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
  update: (id, changes, options = {}) =>
    Effect.map(timeOf(options), (now) => {
      const tables = db.accounts.get(id)
      if (tables === undefined) return Option.none()
      const { epoch, planVersion } = tables.account
      const written = {
        ...tables.account,
        ...changes,
        epoch: epoch + 1,
        planVersion: changes.policy === undefined ? planVersion : planVersion + 1
      }
      change(tables, written, now)
      if (changes.policy !== undefined) openLanes(tables)
      return Option.some(tables.account)
    }),
  get: (id) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(id)?.account)),
  list: Effect.sync(() => [...db.accounts.values()].map((tables) => tables.account)),
  getDeployment: Effect.sync(() => ({ paused: db.deploymentPaused })),
  updateDeployment: ({ paused }, options = {}) =>
    Effect.map(timeOf(options), (now) => {
      db.deploymentPaused = paused
      db.deploymentPeriods = HoldPeriods.after(
        db.deploymentPeriods,
        paused ? { code: "account_paused" } : undefined,
        now
      )
    })
})
