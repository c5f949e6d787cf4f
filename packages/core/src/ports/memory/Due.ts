/** What falls due, and when. */
import { DateTime, Duration, Effect, Option } from "effect"
import { usesLine } from "../../domain/Call.ts"
import * as Limits from "../../domain/Limits.ts"
import { outcomeDueAt } from "../../rules/CallLife.ts"
import type { CarrierName } from "../../domain/Ids.ts"
import type { Storage, WorkKind } from "../Storage.ts"
import * as Agenda from "./Agenda.ts"
import {
  callsOf,
  type Database,
  deliveryDueAt,
  hasWords,
  isDue,
  isOfCarriers,
  isOpen,
  isPlanned,
  type Tables
} from "./Tables.ts"

/** When the first of each kind of an account's work falls due; work that something else holds up does not count. */
export const dueTimes = (
  db: Database,
  tables: Tables,
  kind: WorkKind,
  carriers?: ReadonlyArray<CarrierName>
): ReadonlyArray<DateTime.Utc> => {
  switch (kind) {
    case "dial":
      return db.deploymentPaused || tables.account.paused || tables.account.lines <= tables.live.size
        ? []
        : dialTimes(tables)
    case "plan":
      return [...tables.lanes.keys()].some((lane) => !isPlanned(db, tables, lane)) ? [tables.account.createdAt] : []
    case "expiry": {
      const expiresAt = Agenda.first(tables.expiring)
      return expiresAt === undefined ? [] : [expiresAt]
    }
    case "lease":
      return callsOf(tables, tables.live).flatMap((call) =>
        call.claim === undefined || !isOfCarriers(call, carriers) ? [] : [call.claim.leaseUntil]
      )
    case "outcome":
      return callsOf(tables, tables.unprocessed).flatMap((call) => {
        const dueAt = outcomeDueAt(call)
        return dueAt === undefined ? [] : [dueAt]
      })
    case "delivery":
      return webhookDueTimes(tables)
    case "batch":
      return [...tables.endedBatches.values()]
    case "retention": {
      // Events are written as they happen, so the first is the oldest.
      const [oldest] = tables.events.values()
      return oldest === undefined ? [] : [DateTime.addDuration(oldest.createdAt, Limits.eventRetention)]
    }
    case "sweep":
      return sweepTimes(tables)
    default:
      return kind satisfies never
  }
}

/** When the oldest of each that is not kept for ever has been kept long enough, whatever else keeps it. */
const sweepTimes = ({ account, calls, idempotency }: Tables): ReadonlyArray<DateTime.Utc> => {
  const { callDays, transcriptDays } = account.policy?.retention ?? {}
  // What has a line is not looked at: it goes on for minutes.
  const all = [...calls.values()].filter(({ status }) => !usesLine(status))
  const after = (times: ReadonlyArray<{ readonly createdAt: DateTime.Utc }>, span: Duration.Duration) =>
    times.map(({ createdAt }) => DateTime.addDuration(createdAt, span))
  return [
    ...after([...idempotency.values()], Limits.idempotencyRetention),
    ...(callDays === undefined ? [] : after(all, Duration.days(callDays))),
    ...(transcriptDays === undefined ? [] : after(all.filter(hasWords), Duration.days(transcriptDays)))
  ]
}

/** When the first call of each lane can be looked at: when lane and account are open. */
const dialTimes = ({ blockedUntil, closedLanes, lanes }: Tables): ReadonlyArray<DateTime.Utc> =>
  [...lanes].flatMap(([lane, agenda]) => {
    const dueAt = Agenda.first(agenda)
    return dueAt === undefined
      ? []
      : [
        [closedLanes.get(lane), blockedUntil].reduce<DateTime.Utc>((at, until) => DateTime.max(at, until ?? at), dueAt)
      ]
  })

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

const kinds: ReadonlyArray<WorkKind> = ["dial", "plan", "expiry", "lease", "outcome", "delivery", "batch", "retention"]

export const methods = (db: Database) =>
  ({
    accountsDue: ({ after, carriers, kind, limit, now }) =>
      Effect.sync(() => {
        const due = [...db.accounts.entries()].flatMap(([id, tables]) => {
          const [first] = dueTimes(db, tables, kind, carriers).filter((at) => isDue(at, now)).sort(
            DateTime.Order
          )
          return first === undefined ? [] : [{ id, first, turn: after !== undefined && id <= after ? 1 : 0 }]
        })
        const inTurn = after === undefined
          ? due.sort((a, b) => DateTime.Order(a.first, b.first) || (a.id < b.id ? -1 : 1))
          : due.sort((a, b) => a.turn - b.turn || (a.id < b.id ? -1 : 1))
        return inTurn.slice(0, limit).map(({ id }) => id)
      }),
    nextDueAt: ({ carriers }) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(
          [...db.accounts.values()].flatMap((tables) => kinds.flatMap((kind) => dueTimes(db, tables, kind, carriers)))
            .sort(DateTime.Order)[0]
        )
      )
  }) satisfies Partial<Storage["Service"]>
