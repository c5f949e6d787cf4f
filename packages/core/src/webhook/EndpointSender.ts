/**
 * Sends the deliveries of one endpoint: a few at a time, with the next ones prefetched, so that only the receiver's
 * responses limit the rate. Results are settled in groups, while others are in flight. After the first failure the rest
 * is returned, and from then on each is claimed by the stored state of the endpoint.
 */
import { Clock, Duration, Effect, Latch, Option } from "effect"
import type { ClaimedDelivery } from "../domain/Delivery.ts"
import * as Limits from "../domain/Limits.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { SettleDeliveriesOptions } from "./DeliveryStore.ts"

export type Settled = SettleDeliveriesOptions["results"][number]

/** The state that the senders of a process share. */
export interface Senders {
  /** Runs the effect in the background; logs its failure. */
  readonly run: (effect: Effect.Effect<void, unknown>) => Effect.Effect<void>
  /** Deliveries in flight, of all endpoints. */
  inFlight: number
}

/** The operations of an endpoint's sender. At most one of `claim` and `settle` runs at a time. */
export interface Endpoint {
  readonly claim: (
    options: { readonly limit: number; readonly ahead: number }
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
  readonly attempt: (delivery: ClaimedDelivery) => Effect.Effect<Settled>
  readonly settle: (results: ReadonlyArray<Settled>) => Effect.Effect<void, StorageError>
}

export interface EndpointSender {
  /**
   * Claims due deliveries and starts to send them; returns how many. A sender that is draining claims again when it has
   * room: returns 1 if that was not requested yet, otherwise 0.
   */
  readonly begin: Effect.Effect<number, StorageError>
  /** Whether it has been idle so long that its measured response time is outdated. */
  readonly isExpired: (now: number) => boolean
  /** Returns what has not been sent, and claims nothing more. Does not wait for what is in flight. */
  readonly close: Effect.Effect<void>
}

/** `Draining` lasts from the first claim until nothing is due or in flight. A sender that is closing stays so. */
type State = "Idle" | "Draining" | "Closing"

/** How many milliseconds prefetched deliveries should last: some storage operations, and well within `Limits.deliveryWait`. */
const prefetchMillis = 500

/** How long results wait at most, because a killed process sends unsettled deliveries again. */
const settleWithin = "1 second"

/** The response time is kept for this many milliseconds without work. */
const idleMillis = 60_000

/** Number of responses in the moving average of the response time. */
const averagedResponses = 8

/**
 * Slots of each endpoint: the more of the process's slots are in use, the fewer, so that endpoints with hanging
 * receivers leave some for others.
 */
const slotsPerEndpoint = (inFlight: number): number => {
  if (inFlight < Limits.deliveriesPerProcess / 4) return Limits.deliveriesInFlight
  if (inFlight < Limits.deliveriesPerProcess / 2) return Limits.deliveriesInFlight / 2
  return inFlight < Limits.deliveriesPerProcess ? 1 : 0
}

export const make = (senders: Senders, { attempt, claim, settle }: Endpoint): EndpointSender => {
  let state: State = "Idle"
  let idleSince = -Infinity
  /** Claimed deliveries that wait for a slot. */
  const claimed: Array<{ readonly delivery: ClaimedDelivery; readonly since: number }> = []
  /** Results that wait to be settled. */
  const results: Array<Settled> = []
  let sending = 0
  /** More is claimed when this many or fewer wait: half of what was prefetched, or none when no more were due. */
  let refillBelow = 0
  /** Average of recent responses, in milliseconds; unknown after a failure. */
  let responseTime: number | undefined
  /** Open when storage is needed: to settle, or because `begin` was called. */
  const isWoken = Latch.makeUnsafe()

  /** Prefetches as many as will be answered in `prefetchMillis`, at the average response time. */
  const room = () => {
    const slots = slotsPerEndpoint(senders.inFlight)
    const ahead = responseTime === undefined
      ? 0
      : Math.min(Limits.deliveriesAhead, Math.floor(slots * prefetchMillis / Math.max(1, responseTime)))
    const isLow = state === "Draining" && claimed.length <= refillBelow
    return { ahead, limit: isLow ? Math.max(0, slots - sending + ahead - claimed.length) : 0 }
  }

  const wakeToSettle = () => {
    if (results.length > 0 && claimed.length <= refillBelow) isWoken.openUnsafe()
  }

  const returnClaimed = () => {
    for (const { delivery: { dueAt, id } } of claimed.splice(0)) {
      results.push({ deliveryId: id, result: { _tag: "Returned", at: dueAt } })
    }
    wakeToSettle()
  }

  const settleResults = Effect.suspend(() => {
    const settled = results.splice(0)
    return settled.length > 0 ? settle(settled) : Effect.void
  })

  const claimMore = Effect.gen(function*() {
    const { ahead, limit } = room()
    if (limit === 0) return 0
    // For storage an answered delivery is in flight until it is settled.
    const deliveries = yield* claim({ limit, ahead: ahead + results.length })
    // From here on: the claim may have waited for its turn, which says nothing about the receiver.
    const since = yield* Clock.currentTimeMillis
    refillBelow = deliveries.length === limit ? ahead / 2 : 0
    for (const delivery of deliveries) claimed.push({ delivery, since })
    const hasFailed = ahead > 0 && responseTime === undefined
    if (hasFailed || state !== "Draining") returnClaimed()
    return deliveries.length
  })

  /** The next delivery to send, which takes a slot, if there is one. */
  const next = (now: number) => {
    const [first] = claimed
    if (first === undefined) return undefined
    if (now - first.since > Duration.toMillis(Limits.deliveryWait)) {
      // The response time has grown.
      responseTime = undefined
      returnClaimed()
      return undefined
    }
    // At least one slot: a claimed delivery must be sent, even if others have taken the last slots meanwhile.
    if (sending >= Math.max(1, slotsPerEndpoint(senders.inFlight))) return undefined
    sending += 1
    senders.inFlight += 1
    return claimed.shift()?.delivery
  }

  const releaseSlot = Effect.sync(() => {
    sending -= 1
    senders.inFlight -= 1
  })

  const record = (settled: Settled, took: number) => {
    results.push(settled)
    if (settled.result._tag === "Delivered") {
      responseTime = responseTime === undefined ? took : responseTime + (took - responseTime) / averagedResponses
    } else {
      responseTime = undefined
      returnClaimed()
    }
    wakeToSettle()
  }

  /** Sends the delivery, and others after it while there are any. */
  const send = Effect.fnUntraced(function*(first: ClaimedDelivery, startedAt: number) {
    const clock = yield* Clock.Clock
    let now = startedAt
    for (let delivery: ClaimedDelivery | undefined = first; delivery !== undefined; delivery = next(now)) {
      const sentAt = now
      const settled = yield* Effect.ensuring(attempt(delivery), releaseSlot)
      now = clock.currentTimeMillisUnsafe()
      record(settled, now - sentAt)
    }
  })

  const isDrained = () => sending + claimed.length + results.length === 0 && !isWoken.isOpen()

  /** Results that could not be settled are lost: their deliveries are sent again when their leases end. */
  const drain = Effect.gen(function*() {
    while (true) {
      const now = yield* Clock.currentTimeMillis
      for (let first = next(now); first !== undefined; first = next(now)) yield* senders.run(send(first, now))
      if (isDrained()) {
        idleSince = now
        if (state === "Draining") state = "Idle"
        return
      }
      const woken = yield* Effect.timeoutOption(isWoken.await, settleWithin)
      isWoken.closeUnsafe()
      if (Option.isNone(woken) && results.length === 0) continue
      // One after the other, whether or not the first fails: the claim may be the answer to `begin`.
      yield* Effect.catchCause(settleResults, (cause) => Effect.logError("Deliveries could not be settled", cause))
      yield* Effect.catchCause(claimMore, (cause) => Effect.logError("Deliveries could not be claimed", cause))
    }
  })

  const begin = Effect.suspend(() => {
    if (state === "Idle") {
      state = "Draining"
      return Effect.onExit(claimMore, () => senders.run(drain))
    }
    if (isWoken.isOpen() || room().limit === 0) return Effect.succeed(0)
    isWoken.openUnsafe()
    return Effect.succeed(1)
  })

  return {
    begin,
    isExpired: (now) => state === "Idle" && now - idleSince >= idleMillis,
    close: Effect.sync(() => {
      state = "Closing"
      returnClaimed()
      isWoken.openUnsafe()
    })
  }
}
