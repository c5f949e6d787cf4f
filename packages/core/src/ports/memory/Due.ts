/** What falls due, and when. */
import { DateTime, Effect, Option } from "effect"
import * as Limits from "../../domain/Limits.ts"
import type { Storage, WorkKind } from "../Storage.ts"
import { type Database, type Delivery, isDue, isOpen, isQueued, linesInUse, type Tables } from "./Tables.ts"

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
      return tables.webhook?.enabled === true ? deliveryDueTimes([...tables.deliveries.values()]) : []
    default:
      return kind satisfies never
  }
}

/** With as many in flight as may be, the next falls due when one of those gives up its lease. */
const deliveryDueTimes = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<DateTime.Utc> => {
  const sending = deliveries.filter(({ state }) => state === "sending")
  const due = sending.length >= Limits.deliveriesInFlight ? sending : deliveries.filter(isOpen)
  return due.map(({ dueAt }) => dueAt)
}

const kinds: ReadonlyArray<WorkKind> = ["dial", "expiry", "lease", "outcome", "delivery"]

export const methods = (db: Database) =>
  ({
    accountsDue: ({ kind, limit, now }) =>
      Effect.sync(() =>
        [...db.accounts.entries()].flatMap(([id, tables]) => {
          const [first] = dueTimes(tables, kind, db.deploymentPaused).filter((at) => isDue(at, now)).sort(
            DateTime.Order
          )
          return first === undefined ? [] : [{ id, first }]
        }).sort((a, b) => DateTime.Order(a.first, b.first) || (a.id < b.id ? -1 : 1)).slice(0, limit).map(({ id }) =>
          id
        )
      ),
    nextDueAt: Effect.sync(() =>
      Option.fromUndefinedOr(
        [...db.accounts.values()].flatMap((tables) =>
          kinds.flatMap((kind) => dueTimes(tables, kind, db.deploymentPaused))
        )
          .sort(DateTime.Order)[0]
      )
    )
  }) satisfies Partial<Storage["Service"]>
