/**
 * Sends the deliveries of one endpoint: a few at a time, with the next ones handed over or claimed before they are needed, so that
 * the receiver's answers are all that it waits for. What came of them is written in groups, while others are under way. The first
 * that does not arrive has the rest given back, and from then on each is claimed by what storage knows of the endpoint.
 */
import { Clock, Duration, Effect } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { ClaimToken } from "../domain/Ids.ts"
import type { ClaimedDelivery } from "../domain/Delivery.ts"
import type { ClaimedOnWrite, DeliverySender } from "../storage/ClaimOnWrite.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { SettleDeliveriesOptions } from "./DeliveryStore.ts"

export type Settled = SettleDeliveriesOptions["results"][number]

/** What the senders of a process share. */
export interface Senders {
  /** Runs the effect beside the loop. */
  readonly run: (effect: Effect.Effect<void, unknown>) => Effect.Effect<void>
  /** Deliveries in flight, of all endpoints. */
  inFlight: number
}

/** What the sender of an endpoint does for each delivery, and for groups of them. */
export interface Endpoint {
  /** Under which it claims. */
  readonly token: ClaimToken
  readonly claim: (
    options: { readonly limit: number; readonly ahead: number }
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
  readonly attempt: (delivery: ClaimedDelivery) => Effect.Effect<Settled>
  readonly settle: (results: ReadonlyArray<Settled>) => Effect.Effect<void, StorageError>
}

export interface EndpointSender {
  /**
   * Claims what is due, if there are places, and begins to send it; answers how much. While it is at storage anyway it looks
   * once more by itself, and answers one when it would not have.
   */
  readonly begin: Effect.Effect<number, StorageError>
  /** Writes events with what there are places for, and begins to send what storage hands over. */
  readonly claimOnWrite: <A extends ClaimedOnWrite, E>(
    write: (sender: DeliverySender | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** Whether it has had nothing to do for so long that what it knows of the receiver is worth nothing any more. */
  readonly isExpired: (now: number) => boolean
  /**
   * Puts on record what has arrived, and gives back what has waited for too long, where all that is being sent hangs. To be asked
   * once a second or so.
   */
  readonly maintain: Effect.Effect<void>
  /** Gives back what has not been sent, and claims nothing more. */
  readonly close: Effect.Effect<void>
}

/** How many milliseconds what is claimed ahead should last: some turns at storage, and well within `Limits.deliveryWait`. */
const prefetchMillis = 500

/** What has arrived is on record this many milliseconds later, whatever else is being sent: a killed process sends it again. */
const maintainMillis = 1000

/** So many are put on record at once while more are handed over all the time: a good group. */
const settleGroup = Limits.deliveriesAhead / 2

/** For so many milliseconds without work the time of the last answers is remembered. */
const idleMillis = 60_000

/** Over about how many answers their time is averaged. */
const averagedAnswers = 8

/**
 * Places of each endpoint: fewer, the more of the process's are taken, so that those whose receivers hang leave some for the
 * others.
 */
const slotsPerEndpoint = (inFlight: number): number => {
  if (inFlight < Limits.deliveriesPerProcess / 4) return Limits.deliveriesInFlight
  if (inFlight < Limits.deliveriesPerProcess / 2) return Limits.deliveriesInFlight / 2
  return inFlight < Limits.deliveriesPerProcess ? 1 : 0
}

export const make = (senders: Senders, { attempt, claim, settle, token }: Endpoint): EndpointSender => {
  const waiting: Array<{ readonly delivery: ClaimedDelivery; readonly since: number }> = []
  let results: Array<Settled> = []
  /** How many are being put on record. */
  let settling = 0
  let sending = 0
  /** In milliseconds and of late; unknown since one did not arrive. */
  let answerTime: number | undefined
  /** So many waiting call for more: half of what was claimed ahead, or none when there was no more to be had. */
  let refillBelow = 0
  /** More was due than the last claim had places for: it goes before what is being written. */
  let isBehind = false
  /** Something may be due, as far as is known here. Without it nobody looks: what is written here is handed over. */
  let mayBeDue = false
  /** So much was in flight here that others were given nothing: what they have left is looked for when that is done. */
  let wasFull = false
  /** Whether somebody is at storage: one at a time, who is sent `again` when asked to meanwhile. */
  let visiting: "no" | "yes" | "again" = "no"
  let visitedAt = -Infinity
  /** Events that are being written, whose deliveries may be handed over. */
  let writing = 0
  let isClosed = false

  const returnWaiting = () => {
    for (const { delivery: { dueAt, id } } of waiting.splice(0)) {
      results.push({ deliveryId: id, result: { _tag: "Returned", at: dueAt } })
      mayBeDue = true
    }
  }

  /** As many ahead as will arrive, by those before, in the time that they should last. */
  const freeSlots = () => {
    const slots = slotsPerEndpoint(senders.inFlight)
    const ahead = answerTime === undefined
      ? 0
      : Math.min(Limits.deliveriesAhead, Math.floor(slots * prefetchMillis / Math.max(1, answerTime)))
    const limit = isClosed ? 0 : slots - sending + ahead - waiting.length
    // What has its answer is in flight for storage until it is on record.
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
    // Nothing is found beside what is in flight, maybe because of it.
    mayBeDue = claimed.length > 0 || !isIdle()
    wasFull = false
    for (const delivery of claimed) waiting.push({ delivery, since })
    if (isClosed) returnWaiting()
    return claimed.length
  })

  /** What has waited for too long shows that those before it are not answered as others were. */
  const returnStale = (now: number) => {
    const [first] = waiting
    if (first === undefined || now - first.since <= Duration.toMillis(Limits.deliveryWait)) return
    answerTime = undefined
    returnWaiting()
  }

  /** The next to be sent, which takes a place, if there is one. */
  const next = (now: number) => {
    returnStale(now)
    // One place at least: what is claimed is to be sent, also when others have taken the last ones meanwhile.
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

  /** Sends one after the other, as long as there are any. */
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

  /** What others have left is to be looked for, unless somebody is about to find out by writing events. */
  const mayHaveLeftovers = () => wasFull && writing === 0 && isIdle()

  /** What came of deliveries waits until more are to be claimed, or nothing is left that could bring somebody back here. */
  const isNeeded = () =>
    results.length >= settleGroup || results.length > 0 && (waiting.length <= refillBelow || sending === 0)

  /** Writes what there is, claims more when little is left, and begins to send it. */
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

  /** What could not be written comes again when its leases run out; what has come in meanwhile is for the next visit. */
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
    // From here on, and not from when its fiber begins.
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

  const claimOnWrite: EndpointSender["claimOnWrite"] = Effect.fnUntraced(function*(write) {
    const { ahead, limit } = freeSlots()
    if (limit <= 0 || isBehind) return yield* write(undefined)
    // From before the unit of work, as its lease is.
    const since = yield* Clock.currentTimeMillis
    writing += 1
    const written = yield* Effect.ensuring(write({ token, limit, ahead }), Effect.sync(() => writing -= 1))
    mayBeDue ||= written.isMore
    for (const delivery of written.deliveries) waiting.push({ delivery, since })
    if (written.deliveries.length > 0) wasFull = waiting.length + sending >= Limits.deliveriesInFlight
    if (isClosed) {
      // Nobody is left to do it beside.
      returnWaiting()
      yield* Effect.ignore(begin)
    } else if (visiting === "no" && mayHaveLeftovers()) yield* forkVisit
    else yield* sendWaiting
    return written
  })

  return {
    isExpired: (now) =>
      visiting === "no" && sending === 0 && waiting.length === 0 && writing === 0 && now - visitedAt >= idleMillis,
    begin,
    claimOnWrite,
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
