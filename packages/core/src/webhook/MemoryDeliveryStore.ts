/** Deliveries in memory. */
import { DateTime, Effect, Option } from "effect"
import { type DeliveryId, deliveryId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { type DisabledReason, signingSecrets } from "../domain/WebhookEndpoint.ts"
import * as CircuitBreaker from "../rules/webhook/CircuitBreaker.ts"
import * as DeliveryState from "../rules/webhook/DeliveryState.ts"
import { toRecord } from "./MemoryDeliveryRecords.ts"
import {
  type Database,
  type Delivery,
  isDue,
  isWithin,
  newDelivery,
  type Tables,
  tablesOf
} from "../storage/MemoryTables.ts"
import type { ClaimedDelivery } from "../domain/Delivery.ts"
import type { ClaimWorkOptions } from "../storage/WorkStore.ts"
import type { RecoverResult, RedeliverResult } from "./DeliveryStore.ts"
import * as Page from "../domain/Page.ts"
import type { DeliveryStore } from "./DeliveryStore.ts"

interface ClaimOptions extends ClaimWorkOptions {
  readonly subscriber: string | undefined
  /** Most in flight. */
  readonly room: number
  /** Maximum number beyond those, if no other sender has claims. */
  readonly ahead: number
  readonly probe: boolean
}

/** Moves due deliveries to `sending` within the limits; returns them as they were, with their used-up attempts. */
export const claimDue = (
  tables: Tables,
  { ahead, limit, now, probe, room, subscriber, token }: ClaimOptions
): ReadonlyArray<Delivery> => {
  const all = [...tables.deliveries.values()].filter((delivery) => delivery.subscriber === subscriber)
  const held = all.filter((delivery) => delivery.state === "sending" && !isDue(delivery.dueAt, now))
  const isAlone = held.every((delivery) => delivery.token === token)
  const most = room + (isAlone ? ahead : 0) - held.length
  const due = all.filter((delivery) =>
    DeliveryState.isOpen(delivery) && (isDue(delivery.dueAt, now) || (probe && delivery.state === "pending"))
  )
  const fresh = probe ? due.filter(({ attempts }) => attempts === 0) : []
  return oldest(fresh.length > 0 ? fresh : due, Math.min(limit, most)).map((delivery) => {
    const claimed: Delivery = {
      ...DeliveryState.claimed(delivery, { probe, countsLost: subscriber !== undefined }),
      generation: tables.generation,
      token
    }
    tables.deliveries.set(delivery.id, { ...claimed, dueAt: DateTime.addDuration(now, Limits.deliveryLease) })
    return claimed
  })
}

/** The claimed deliveries to the endpoint, as the sender gets them. */
const toClaimed = ({ events, webhook }: Tables, now: DateTime.Utc) =>
(
  { attempts, cause, dueAt, eventId, id }: Delivery
): ReadonlyArray<ClaimedDelivery> => {
  const event = events.get(eventId)
  if (event === undefined || webhook === undefined) return []
  const secrets = signingSecrets(webhook, now)
  return [{ id, eventId, attempts, cause, dueAt, url: webhook.url, secrets, body: event.body }]
}

/** The first `count` by due time and id. A small number is found by repeated minimum, which is faster than sorting all. */
const oldest = (deliveries: ReadonlyArray<Delivery>, count: number): ReadonlyArray<Delivery> => {
  if (count > Limits.deliveriesInFlight) {
    return deliveries.toSorted((a, b) => DateTime.Order(a.dueAt, b.dueAt) || (a.id < b.id ? -1 : 1)).slice(0, count)
  }
  const rest = new Set(deliveries)
  return Array.from({ length: Math.min(Math.max(0, count), rest.size) }, () => {
    const first = [...rest].reduce((a, b) => (DateTime.Order(a.dueAt, b.dueAt) || (a.id < b.id ? -1 : 1)) < 0 ? a : b)
    rest.delete(first)
    return first
  })
}

/** Makes all waiting deliveries to the endpoint due. */
export const makeDueNow = ({ deliveries }: Tables, now: DateTime.Utc) => {
  for (const delivery of deliveries.values()) {
    if (delivery.subscriber === undefined) deliveries.set(delivery.id, DeliveryState.madeDue(delivery, now))
  }
}

/** Moves a delivery whose probe failed after the other waiting ones. */
const moveToBack = (tables: Tables, id: DeliveryId, now: DateTime.Utc) => {
  const { breaker, deliveries } = tables
  const delivery = deliveries.get(id)
  if (delivery === undefined || delivery.cause === "redeliver") return
  const lastDueAt = [...deliveries.values()]
    .filter((other) => other.id !== id && other.subscriber === undefined && other.state === "pending")
    .reduce<DateTime.Utc | undefined>(
      (last, { dueAt }) => last === undefined ? dueAt : DateTime.max(last, dueAt),
      undefined
    )
  deliveries.set(id, { ...delivery, dueAt: CircuitBreaker.probeDueAt(breaker, { now, lastDueAt }) })
}

/** Disables the endpoint, unless it is already, or has too few events on their way. Returns whether it was disabled now. */
const disable = (tables: Tables, reason: DisabledReason, now: DateTime.Utc): boolean => {
  if (tables.webhook?.enabled !== true) return false
  const open = [...tables.deliveries.values()].filter((delivery) =>
    delivery.subscriber === undefined && DeliveryState.isOpen(delivery)
  )
  if (open.length < CircuitBreaker.openToDisable[reason]) return false
  tables.webhook = { ...tables.webhook, enabled: false, disabledReason: reason, disabledAt: now }
  return true
}

/** Why the endpoint cannot be sent to, if it cannot. */
const unavailable = ({ webhook }: Tables): { readonly _tag: "NoWebhook" | "Disabled" } | undefined => {
  if (webhook === undefined) return { _tag: "NoWebhook" }
  return webhook.enabled ? undefined : { _tag: "Disabled" }
}

export const make = (db: Database): DeliveryStore["Service"] => ({
  claim: (options) =>
    Effect.sync(() => {
      const tables = tablesOf(db, options.accountId)
      const { breaker, webhook } = tables
      if (webhook?.enabled !== true) return []
      const probe = CircuitBreaker.isProbing(breaker)
      const room = CircuitBreaker.room(breaker, options.now)
      const ahead = CircuitBreaker.ahead(breaker, options.now, options.ahead ?? 0)
      return claimDue(tables, { ...options, subscriber: undefined, room, ahead, probe })
        .flatMap(toClaimed(tables, options.now))
    }),
  settle: ({ accountId, now, results, subscriber, token }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const written = results.flatMap(({ attempt, deliveryId, result }) => {
        const delivery = tables.deliveries.get(deliveryId)
        if (delivery?.state !== "sending" || delivery.token !== token) return []
        const { generation, token: _, ...after } = DeliveryState.after(delivery, result, now)
        const log = attempt === undefined ? delivery.log : [...delivery.log, attempt]
        tables.deliveries.set(deliveryId, { ...after, log })
        return [{ deliveryId, result, generation }]
      })
      if (subscriber !== undefined) return Option.none()
      // Results of an earlier endpoint do not count for this one.
      const ofEndpoint = written.filter(({ generation }) => generation === tables.generation)
      const { breaker, disables, recovers } = CircuitBreaker.fold(
        tables.breaker,
        ofEndpoint.map(({ result }) => result),
        now
      )
      tables.breaker = breaker
      const isDisabled = disables !== undefined && disable(tables, disables, now)
      if (recovers) makeDueNow(tables, now)
      for (const { deliveryId, result } of written) {
        if (result._tag === "ProbeFailed") moveToBack(tables, deliveryId, now)
      }
      return isDisabled ? Option.some(disables) : Option.none()
    }),
  get: (accountId, id) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      const delivery = tables?.deliveries.get(id)
      return tables === undefined || delivery === undefined || delivery.subscriber !== undefined
        ? Option.none()
        : Option.map(Option.fromUndefinedOr(tables.events.get(delivery.eventId)), toRecord(tables, delivery))
    }),
  list: ({ accountId, filter, page }) =>
    Effect.sync(() => {
      const tables = db.accounts.get(accountId)
      if (tables === undefined) return { items: [], hasMore: false }
      const records = [...tables.deliveries.values()].flatMap((delivery) => {
        const event = delivery.subscriber === undefined ? tables.events.get(delivery.eventId) : undefined
        return event === undefined ? [] : [toRecord(tables, delivery)(event)]
      })
      const wanted = records.filter((record) =>
        isWithin(record.createdAt, filter) &&
        (filter.callId === undefined || record.callId === filter.callId) &&
        (filter.eventId === undefined || record.eventId === filter.eventId) &&
        (filter.states === undefined || filter.states.includes(record.state))
      )
      return Page.cut(wanted.sort(Page.compare), page)
    }),
  redeliver: ({ accountId, eventId, now }) =>
    Effect.sync((): RedeliverResult => {
      const tables = tablesOf(db, accountId)
      const event = tables.events.get(eventId)
      if (event === undefined) return { _tag: "NoEvent" }
      const refused = unavailable(tables)
      if (refused !== undefined) return refused
      const before = tables.deliveries.get(deliveryId(eventId)) ?? newDelivery(event)
      const delivery: Delivery = DeliveryState.redelivered(before, now)
      tables.deliveries.set(delivery.id, delivery)
      return { _tag: "Redelivering", delivery: toRecord(tables, delivery)(event) }
    }),
  recover: ({ accountId, limit, now, since, until }) =>
    Effect.sync((): RecoverResult => {
      const tables = tablesOf(db, accountId)
      const refused = unavailable(tables)
      if (refused !== undefined) return refused
      const undelivered = [...tables.events.values()].flatMap((event): ReadonlyArray<Delivery> => {
        if (DateTime.isLessThan(event.createdAt, since) || !DateTime.isLessThan(event.createdAt, until)) return []
        const before = tables.deliveries.get(deliveryId(event.id))
        if (before === undefined && tables.webhook?.events.includes(event.type) !== true) return []
        // An event that never had a delivery is like one whose delivery was dropped.
        const after = DeliveryState.recovered(before ?? { ...newDelivery(event), state: "dropped" }, now)
        return after === undefined ? [] : [after]
      })
      const recovered = oldestEvents(tables, undelivered).slice(0, limit)
      for (const delivery of recovered) tables.deliveries.set(delivery.id, delivery)
      return { _tag: "Recovering", deliveries: recovered.length }
    })
})

const oldestEvents = ({ events }: Tables, deliveries: ReadonlyArray<Delivery>) => {
  const happened = ({ eventId }: Delivery) =>
    Option.match(Option.fromUndefinedOr(events.get(eventId)), {
      onNone: () => 0,
      onSome: ({ createdAt }) => createdAt.epochMilliseconds
    })
  return deliveries.toSorted((a, b) => happened(a) - happened(b))
}
