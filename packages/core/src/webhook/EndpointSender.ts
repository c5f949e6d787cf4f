/**
 * Sends the deliveries of one endpoint: a few at a time, with the next ones claimed on write or prefetched, so that
 * only the receiver's responses limit the rate. Results are written in groups, while others are in flight. After the
 * first failure the rest is returned, and from then on each is claimed by the stored state of the endpoint.
 */
import { Clock, Duration, Effect } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { ClaimedDelivery } from "../domain/Delivery.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { SettleDeliveriesOptions } from "./DeliveryStore.ts"

export type Settled = SettleDeliveriesOptions["results"][number]

/** The state that the senders of a process share. */
export interface Senders {
  /** Runs the effect in the background. */
  readonly run: (effect: Effect.Effect<void, unknown>) => Effect.Effect<void>
  /** Deliveries in flight, of all endpoints. */
  inFlight: number
}

/** The operations of an endpoint's sender. */
export interface Endpoint {
  readonly claim: (
    options: { readonly limit: number; readonly ahead: number }
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
  readonly attempt: (delivery: ClaimedDelivery) => Effect.Effect<Settled>
  readonly settle: (results: ReadonlyArray<Settled>) => Effect.Effect<void, StorageError>
}

export interface EndpointSender {
  /**
   * Claims due deliveries, if there are free slots, and starts to send them; returns how many. While a storage operation
   * runs, schedules another after it: returns 1 if it was not scheduled yet, otherwise 0.
   */
  readonly begin: Effect.Effect<number, StorageError>
  /** Whether it has been idle so long that its measured response time is outdated. */
  readonly isExpired: (now: number) => boolean
  /**
   * Settles finished deliveries and returns those that have waited too long, also while all slots are blocked. To be
   * called about every second.
   */
  readonly maintain: Effect.Effect<void>
  /** Returns what has not been sent, and claims nothing more. */
  readonly close: Effect.Effect<void>
}

/** How many milliseconds prefetched deliveries should last: some storage operations, and well within `Limits.deliveryWait`. */
const prefetchMillis = 500

/** Results are settled after at most this many milliseconds, because a killed process sends unsettled deliveries again. */
const maintainMillis = 1000

/** This many results are settled at once while deliveries are continuously claimed on write: an efficient group size. */
const settleGroup = Limits.deliveriesAhead / 2

/** The response time is kept for this many milliseconds without work. */
const idleMillis = 60_000

/** Number of responses in the moving average of the response time. */
const averagedAnswers = 8

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
  const waiting: Array<{ readonly delivery: ClaimedDelivery; readonly since: number }> = []
  let results: Array<Settled> = []
  /** How many results are being settled. */
  let settling = 0
  let sending = 0
  /** Average of recent responses, in milliseconds; unknown after a failure. */
  let answerTime: number | undefined
  /** Claims more when this many or fewer wait: half of what was prefetched, or none when there were no more. */
  let refillBelow = 0
  /** The last claim had too few slots for the due deliveries: they go before newly written ones. */
  let isBehind = false
  /** Something may be due. Otherwise no claim is needed: deliveries written here are claimed on write. */
  let mayBeDue = false
  /** So many were in flight here that other senders got none: claim what they have left when these are done. */
  let wasFull = false
  /** Whether a storage operation is running: one at a time, repeated if it was requested `again` meanwhile. */
  let visiting: "no" | "yes" | "again" = "no"
  let visitedAt = -Infinity
  let isClosed = false

  const returnWaiting = () => {
    for (const { delivery: { dueAt, id } } of waiting.splice(0)) {
      results.push({ deliveryId: id, result: { _tag: "Returned", at: dueAt } })
      mayBeDue = true
    }
  }

  /** Prefetches as many as will be answered in `prefetchMillis`, at the average response time. */
  const freeSlots = () => {
    const slots = slotsPerEndpoint(senders.inFlight)
    const ahead = answerTime === undefined
      ? 0
      : Math.min(Limits.deliveriesAhead, Math.floor(slots * prefetchMillis / Math.max(1, answerTime)))
    const limit = isClosed ? 0 : slots - sending + ahead - waiting.length
    // For storage an answered delivery is in flight until it is settled.
    return { low: ahead / 2, limit, ahead: ahead + results.length + settling }
  }

  const isIdle = () => sending + waiting.length + results.length === 0

  const claimMore = Effect.gen(function*() {
    const { ahead, limit, low: half } = freeSlots()
    if (limit <= 0) return 0
    const since = yield* Clock.currentTimeMillis
    const claimed = yield* claim({ limit, ahead })
    isBehind = claimed.length === limit
    refillBelow = isBehind ? half : 0
    // An empty claim may be due to the deliveries in flight.
    mayBeDue = claimed.length > 0 || !isIdle()
    wasFull = false
    for (const delivery of claimed) waiting.push({ delivery, since })
    if (isClosed) returnWaiting()
    return claimed.length
  })

  /** A delivery that has waited too long shows that the response time has grown. */
  const returnStale = (now: number) => {
    const [first] = waiting
    if (first === undefined || now - first.since <= Duration.toMillis(Limits.deliveryWait)) return
    answerTime = undefined
    returnWaiting()
  }

  /** The next delivery to send, which takes a slot, if there is one. */
  const next = (now: number) => {
    returnStale(now)
    // At least one slot: a claimed delivery must be sent, even if others have taken the last slots meanwhile.
    if (waiting.length === 0 || sending >= Math.max(1, slotsPerEndpoint(senders.inFlight))) return undefined
    sending += 1
    senders.inFlight += 1
    return waiting.shift()?.delivery
  }

  const releaseSlot = Effect.sync(() => {
    sending -= 1
    senders.inFlight -= 1
  })

  const record = (settled: Settled, took: number) => {
    results.push(settled)
    if (settled.result._tag === "Delivered") {
      answerTime = answerTime === undefined ? took : answerTime + (took - answerTime) / averagedAnswers
    } else {
      answerTime = undefined
      returnWaiting()
    }
  }

  /** Sends one after the other while there are any. */
  const sendNext = Effect.gen(function*() {
    const clock = yield* Clock.Clock
    let now = clock.currentTimeMillisUnsafe()
    for (let delivery = next(now); delivery !== undefined; delivery = next(now)) {
      const startedAt = now
      const settled = yield* Effect.ensuring(attempt(delivery), releaseSlot)
      now = clock.currentTimeMillisUnsafe()
      record(settled, now - startedAt)
      if (isNeeded()) yield* visitIfNeeded
    }
    yield* visitIfNeeded
  })

  const sendWaiting = Effect.suspend(() =>
    Effect.forEach(
      waiting.slice(0, Limits.deliveriesInFlight - sending),
      () => senders.run(sendNext),
      { discard: true }
    )
  )

  /** Claims what other senders have left, unless a write of events will do so. */
  const mayHaveLeftovers = () => wasFull && isIdle()

  /** Results wait until more deliveries are to be claimed, or nothing else would trigger a storage operation. */
  const isNeeded = () =>
    results.length >= settleGroup || results.length > 0 && (waiting.length <= refillBelow || sending === 0)

  /** Settles the results, claims more when few are left, and starts to send them. */
  const settleAndClaim = Effect.gen(function*() {
    visitedAt = yield* Clock.currentTimeMillis
    const written = results
    results = []
    settling = written.length
    if (written.length > 0) yield* Effect.ensuring(settle(written), Effect.sync(() => settling = 0))
    const isToClaim = mayBeDue ? waiting.length <= refillBelow : mayHaveLeftovers()
    const claimed = isToClaim ? yield* claimMore : 0
    yield* sendWaiting
    return claimed
  })

  /** Unsettled deliveries are sent again after their leases. Results that arrived meanwhile are for the next storage operation. */
  const runVisit: Effect.Effect<number, StorageError> = Effect.suspend(() => {
    visiting = "yes"
    return Effect.ensuring(
      settleAndClaim,
      Effect.suspend(() => {
        const isWanted = visiting === "again" || isNeeded()
        visiting = "no"
        return isWanted ? forkVisit : Effect.void
      })
    )
  })

  const forkVisit = Effect.suspend(() => {
    // From here on, not from the start of its fiber.
    visiting = "yes"
    return senders.run(Effect.asVoid(runVisit))
  })

  const visitIfNeeded = Effect.suspend(() => visiting === "no" && isNeeded() ? forkVisit : Effect.void)

  const begin = Effect.suspend(() => {
    mayBeDue = true
    if (visiting === "no") return runVisit
    const isNew = visiting === "yes"
    visiting = "again"
    return Effect.succeed(isNew ? 1 : 0)
  })

  return {
    isExpired: (now) => visiting === "no" && sending === 0 && waiting.length === 0 && now - visitedAt >= idleMillis,
    begin,
    maintain: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      returnStale(now)
      return visiting === "no" && results.length > 0 && now - visitedAt >= maintainMillis ? forkVisit : Effect.void
    }),
    close: Effect.suspend(() => {
      isClosed = true
      returnWaiting()
      return visitIfNeeded
    })
  }
}
