/** What falls due, and when. */
import { DateTime, Effect, Option } from "effect"
import * as Limits from "../../domain/Limits.ts"
import type { Storage, WorkKind } from "../Storage.ts"
import { type Database, deliveryDueAt, isDue, isOpen, isQueued, linesInUse, type Tables } from "./Tables.ts"

/** When each kind of an account's work falls due; work that something else holds up does not count. */
const dueTimes = (tables: Tables, kind: WorkKind, paused: boolean): ReadonlyArray<DateTime.Utc> => {
  const calls = [...tables.calls.values()]
  switch (kind) {
    case "dial":
      return paused || tables.account.paused || tables.account.lines <= linesInUse(tables)
        ? []
        : calls.filter(isQueued).map((call) => call.dueAt)
    case "expiry":
      return calls.filter(isQueued).map((call) => call.expiresAt)
    case "lease":
      return calls.flatMap((call) => call.claim === undefined ? [] : [call.claim.leaseUntil])
    case "outcome":
      return calls.flatMap((call) => call.outcomeDueAt === undefined ? [] : [call.outcomeDueAt])
    case "delivery":
      return webhookDueTimes(tables)
    case "batch":
      return [...tables.endedBatches.values()]
    case "retention":
      return [...tables.events.values()].map(({ createdAt }) => DateTime.addDuration(createdAt, Limits.eventRetention))
    default:
      return kind satisfies never
  }
}

/** While the breaker is open something is due when its pause ends, whatever it is; one probe at a time. */
const webhookDueTimes = (tables: Tables): ReadonlyArray<DateTime.Utc> => {
  const { breaker: { openUntil }, webhook } = tables
  if (webhook?.enabled !== true) return []
  if (openUntil === undefined) {
    const dueAt = deliveryDueAt(tables, undefined, Limits.deliveriesInFlight)
    return dueAt === undefined ? [] : [dueAt]
  }
  const open = [...tables.deliveries.values()].filter((delivery) =>
    delivery.subscriber === undefined && isOpen(delivery)
  )
  if (open.length === 0) return []
  const leases = open.filter(({ state }) => state === "sending").map(({ dueAt }) => dueAt)
  return [leases.reduce((last, at) => DateTime.max(last, at), openUntil)]
}

const kinds: ReadonlyArray<WorkKind> = ["dial", "expiry", "lease", "outcome", "delivery", "batch", "retention"]

export const methods = (db: Database) =>
  ({
    accountsDue: ({ after, kind, limit, now }) =>
      Effect.sync(() => {
        const due = [...db.accounts.entries()].flatMap(([id, tables]) => {
          const [first] = dueTimes(tables, kind, db.deploymentPaused).filter((at) => isDue(at, now)).sort(
            DateTime.Order
          )
          return first === undefined ? [] : [{ id, first, turn: after !== undefined && id <= after ? 1 : 0 }]
        })
        const inTurn = after === undefined
          ? due.sort((a, b) => DateTime.Order(a.first, b.first) || (a.id < b.id ? -1 : 1))
          : due.sort((a, b) => a.turn - b.turn || (a.id < b.id ? -1 : 1))
        return inTurn.slice(0, limit).map(({ id }) => id)
      }),
    nextDueAt: Effect.sync(() =>
      Option.fromUndefinedOr(
        [...db.accounts.values()].flatMap((tables) =>
          kinds.flatMap((kind) => dueTimes(tables, kind, db.deploymentPaused))
        )
          .sort(DateTime.Order)[0]
      )
    )
  }) satisfies Partial<Storage["Service"]>
