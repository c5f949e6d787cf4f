/** When work is due. */
import { DateTime, Duration, Effect, Option } from "effect"
import { type CallRecord, usesLine } from "../domain/Call.ts"
import * as Limits from "../domain/Limits.ts"
import { outcomeDueAt } from "../rules/call/CallLife.ts"
import { isOpen as isDeliveryOpen } from "../rules/webhook/DeliveryState.ts"
import type { CarrierName } from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import * as PlanData from "../domain/PlanData.ts"
import * as DueHeap from "./DueHeap.ts"
import { isPaused } from "./MemoryCarrierPauses.ts"
import {
  callsOf,
  type Database,
  deliveryDueAt,
  hasTranscript,
  isDue,
  isOfCarriers,
  isPlanned,
  type Tables
} from "./MemoryTables.ts"
import type { DueOptions, WorkKind } from "./WorkStore.ts"
import type { WorkStore } from "./WorkStore.ts"

/** The earliest instant of the entries. Builds no array, because every round of every loop calls it. */
const earliest = <A>(
  entries: Iterable<A>,
  instantOf: (entry: A) => DateTime.Utc | undefined
): DateTime.Utc | undefined => {
  let first: DateTime.Utc | undefined
  for (const entry of entries) {
    const at = instantOf(entry)
    if (at !== undefined && (first === undefined || DateTime.isLessThan(at, first))) first = at
  }
  return first
}

const createdAt = (entry: { readonly createdAt: DateTime.Utc }) => entry.createdAt
const identity = (at: DateTime.Utc | undefined) => at

type DialsFrom = ReadonlyMap<CarrierName, DateTime.Utc>

/** Which calls can be dialed. */
interface Dialable {
  readonly isOpen: (tables: Tables, lane: Lane.Lane) => boolean
  /** When the lane's calls can be dialed at the earliest, if that is known. */
  readonly from?: (lane: Lane.Lane) => DateTime.Utc | undefined
}

/** The calls that a node with these carriers can dial; all calls without any. */
const dialableOver = (
  db: Database,
  { carriers, dialsFrom = new Map(), hasRoutes = false }: DueOptions & { readonly dialsFrom?: DialsFrom }
): Dialable => {
  const [first] = carriers ?? []
  if (carriers === undefined || first === undefined) return { isOpen: () => true }
  const isLeft = (tables: Tables, lane: Lane.Lane) =>
    !hasRoutes && PlanData.hasRoutes(db.planData?.version) &&
    (Lane.carrierOf(lane) === undefined || !isPlanned(db, tables, lane))
  return {
    isOpen: (tables, lane) => {
      const named = Lane.carrierOf(lane)
      if (hasRoutes && named === undefined) return true
      const carrier = named ?? first
      // The claim moves calls that have failed over to a carrier that is paused.
      return carriers.includes(carrier) && (!isPaused(db, carrier) || Lane.isFailedOver(lane)) && !isLeft(tables, lane)
    },
    from: (lane) => dialsFrom.get(Lane.carrierOf(lane) ?? first)
  }
}

/** When the first work of a kind falls due in any of the accounts, for a node that has these carriers. */
export const firstDue = (
  db: Database,
  kind: WorkKind,
  carriers?: ReadonlyArray<CarrierName>,
  dialable: Dialable = dialableOver(db, { ...(carriers !== undefined && { carriers }) })
): DateTime.Utc | undefined => earliest(db.accounts.values(), (tables) => dueAt(db, tables, kind, carriers, dialable))

/** When the first of an account's work of a kind is due. Blocked work does not count. */
const dueAt = (
  db: Database,
  tables: Tables,
  kind: WorkKind,
  carriers: ReadonlyArray<CarrierName> | undefined,
  dialable: Dialable
): DateTime.Utc | undefined => {
  switch (kind) {
    case "dial":
      return db.deploymentPaused || tables.account.paused || tables.account.lines <= tables.live.size
        ? undefined
        : dialDueAt(tables, dialable)
    case "plan":
      return [...tables.lanes.keys()].some((lane) => !isPlanned(db, tables, lane))
        ? tables.account.createdAt
        : undefined
    case "expiry":
      return DueHeap.first(tables.expiring)
    case "lease":
      return earliest(
        callsOf(tables, tables.live),
        // A call whose line has ended needs no carrier.
        (call) => call.lineEnd !== undefined || isOfCarriers(call, carriers) ? call.claim?.leaseUntil : undefined
      )
    case "outcome":
      return earliest(callsOf(tables, tables.unprocessed), outcomeDueAt)
    case "delivery":
      return webhookDueAt(tables)
    case "batch":
      return earliest(tables.endedBatches.values(), identity)
    case "retention": {
      // Events are written as they happen, so the first is the oldest.
      const [oldest] = tables.events.values()
      return oldest && DateTime.addDuration(oldest.createdAt, Limits.eventRetention)
    }
    case "sweep":
      return sweepDueAt(tables)
    default:
      return kind satisfies never
  }
}

/** When the oldest data with a retention expires, even if something else still needs it. */
const sweepDueAt = (tables: Tables): DateTime.Utc | undefined => {
  const { account, calls, idempotency, unwantedRecordings } = tables
  const { callDays, transcriptDays } = account.policy?.retention ?? {}
  const after = (oldest: DateTime.Utc | undefined, span: Duration.Duration) =>
    oldest && DateTime.addDuration(oldest, span)
  // A live call does not count: it ends within minutes.
  const oldestOf = (isMeant: (call: CallRecord) => boolean) =>
    earliest(calls.values(), (call) => !usesLine(call.status) && isMeant(call) ? call.createdAt : undefined)
  return earliest([
    unwantedRecordings.size > 0 ? account.createdAt : undefined,
    after(earliest(idempotency.values(), createdAt), Limits.idempotencyRetention),
    callDays === undefined ? undefined : after(oldestOf(() => true), Duration.days(callDays)),
    transcriptDays === undefined
      ? undefined
      : after(oldestOf((call) => hasTranscript(tables, call)), Duration.days(transcriptDays))
  ], identity)
}

/** When the first call of any open lane is due, if the account is not blocked. */
const dialDueAt = (tables: Tables, { from, isOpen }: Dialable): DateTime.Utc | undefined => {
  const { blockedUntil, closedLanes, lanes } = tables
  return earliest(lanes, ([lane, heap]) => {
    const first = isOpen(tables, lane) ? DueHeap.first(heap) : undefined
    return first &&
      [closedLanes.get(lane)?.until, blockedUntil, from?.(lane)].reduce<DateTime.Utc>(
        (at, until) => DateTime.max(at, until ?? at),
        first
      )
  })
}

/** While the breaker is open, something is due when its pause ends: one probe at a time. */
const webhookDueAt = (tables: Tables): DateTime.Utc | undefined => {
  const { breaker: { openUntil }, webhook } = tables
  if (webhook?.enabled !== true) return undefined
  if (openUntil === undefined) return deliveryDueAt(tables, undefined, Limits.deliveriesInFlight)
  const open = [...tables.deliveries.values()].filter((delivery) =>
    delivery.subscriber === undefined && isDeliveryOpen(delivery)
  )
  if (open.length === 0) return undefined
  const leases = open.filter(({ state }) => state === "sending").map(({ dueAt }) => dueAt)
  return leases.reduce((last, at) => DateTime.max(last, at), openUntil)
}

const kinds: ReadonlyArray<WorkKind> = ["dial", "plan", "expiry", "lease", "outcome", "delivery", "batch", "retention"]

export const make = (db: Database): WorkStore["Service"] => ({
  accountsDue: ({ after, kind, limit, now, ...options }) =>
    Effect.sync(() => {
      const { carriers } = options
      const dialable = dialableOver(db, options)
      const due = [...db.accounts.entries()].flatMap(([id, tables]) => {
        const first = dueAt(db, tables, kind, carriers, dialable)
        return first === undefined || !isDue(first, now)
          ? []
          : [{ id, first, turn: after !== undefined && id <= after ? 1 : 0 }]
      })
      const ordered = after === undefined
        ? due.sort((a, b) => DateTime.Order(a.first, b.first) || (a.id < b.id ? -1 : 1))
        : due.sort((a, b) => a.turn - b.turn || (a.id < b.id ? -1 : 1))
      return ordered.slice(0, limit).map(({ id }) => id)
    }),
  nextDueAt: (options) =>
    Effect.sync(() =>
      Option.fromUndefinedOr(
        earliest(kinds, (kind) => firstDue(db, kind, options.carriers, dialableOver(db, options)))
      )
    )
})
