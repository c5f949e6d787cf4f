/** Statistics of the storage in memory. */
import { DateTime, Effect, Order } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import * as Limits from "../domain/Limits.ts"
import { isOpen } from "../rules/webhook/DeliveryState.ts"
import * as DueHeap from "./DueHeap.ts"
import { isDialingPaused, isPaused, runningCarriers } from "./MemoryCarrierPauses.ts"
import { firstDue } from "./MemoryWorkStore.ts"
import { callsOf, type Database, isDue } from "./MemoryTables.ts"
import type { MissingCarrier, StorageStats, StrandedCalls, TimelyKind } from "./StorageStats.ts"

const timely: ReadonlyArray<TimelyKind> = ["dial", "expiry", "lease", "outcome", "delivery", "batch"]

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, n) => total + n, 0)

const byCarrier = (a: { readonly carrier: CarrierName }, b: { readonly carrier: CarrierName }) =>
  a.carrier < b.carrier ? -1 : 1

export const make = (db: Database): StorageStats["Service"] => ({
  state: Effect.succeed("ready" as const),
  snapshot: (now) =>
    Effect.sync(() => {
      const all = [...db.accounts.values()]
      const endpoints = all.flatMap(({ breaker, webhook }) =>
        webhook === undefined
          ? []
          : [webhook.enabled ? breaker.openUntil === undefined ? "closed" : "open" : "disabled"]
      )
      const isPausedOverall = isDialingPaused(db, now)
      const isLaneDialed = (lane: Lane.Lane) => {
        const carrier = Lane.carrierOf(lane)
        return carrier === undefined ? !isPausedOverall : !isPaused(db, carrier)
      }
      const dueSince = new Map<TimelyKind, DateTime.Utc>()
      for (const kind of timely) {
        const first = firstDue(db, kind, undefined, { isOpen: (_, lane) => isLaneDialed(lane) })
        if (first !== undefined && isDue(first, now)) dueSince.set(kind, first)
      }
      const carriers = [...db.carriers.values()]
      const [slotsTakenAt] = carriers.flatMap(({ slots }) => slots === undefined ? [] : [slots.at])
        .sort(Order.flip(DateTime.Order))
      return {
        queuedCalls: sum(all.map(({ expiring }) => expiring.dueAt.size)),
        liveCalls: sum(all.map(({ live }) => live.size)),
        lines: sum(all.map(({ account }) => account.lines)),
        pendingOutcomes: sum(all.map(({ unprocessed }) => unprocessed.size)),
        openDeliveries: sum(all.map(({ deliveries }) => [...deliveries.values()].filter(isOpen).length)),
        endpoints: {
          closed: endpoints.filter((state) => state === "closed").length,
          open: endpoints.filter((state) => state === "open").length,
          disabled: endpoints.filter((state) => state === "disabled").length
        },
        pausedAccounts: all.filter(({ account }) => account.paused).length,
        deploymentPaused: db.deploymentPaused,
        pausedCarriers: {
          fault: carriers.filter(({ pause }) => pause?.by === "fault").length,
          operator: carriers.filter(({ pause }) => pause?.by === "operator").length
        },
        ...(slotsTakenAt !== undefined && { slotsTakenAt }),
        dueSince
      }
    }),
  strandedCalls: (now) =>
    Effect.sync(() => {
      const found = new Map<CarrierName, StrandedCalls>()
      const before = DateTime.subtractDuration(now, Limits.lineLease)
      const live = [...db.accounts.values()].flatMap((tables) => callsOf(tables, tables.live))
      for (const { carrier, claim, lineEnd } of live) {
        if (
          lineEnd !== undefined || carrier === undefined || claim === undefined ||
          !DateTime.isLessThan(claim.leaseUntil, before)
        ) continue
        const { calls, since } = found.get(carrier) ?? { calls: 0, since: claim.leaseUntil }
        found.set(carrier, { carrier, calls: calls + 1, since: DateTime.min(since, claim.leaseUntil) })
      }
      return [...found.values()].sort(byCarrier)
    }),
  missingCarriers: (now) =>
    Effect.sync(() => {
      const running = runningCarriers(db, now)
      if (running.size === 0 || db.deploymentPaused) return []
      const found = new Map<CarrierName, MissingCarrier>()
      const before = DateTime.subtractDuration(now, Limits.lineLease)
      const waiting = [...db.accounts.values()].flatMap(({ account, lanes }) => account.paused ? [] : [...lanes])
      for (const [lane, heap] of waiting) {
        const [carrier, since] = [Lane.carrierOf(lane), DueHeap.first(heap)]
        if (carrier === undefined || running.has(carrier) || isPaused(db, carrier)) continue
        if (since === undefined || !DateTime.isLessThan(since, before)) continue
        found.set(carrier, { carrier, since: DateTime.min(found.get(carrier)?.since ?? since, since) })
      }
      return [...found.values()].sort(byCarrier)
    })
})
