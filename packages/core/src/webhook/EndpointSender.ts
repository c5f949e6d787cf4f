/**
 * Sends the deliveries of one endpoint: a few at a time, with the next ones handed over or claimed before they are needed, so that
 * the receiver's answers are all that it waits for. What came of them is written in groups, while others are under way. The first
 * that does not arrive has the rest given back, and from then on each is claimed by what storage knows of the endpoint.
 */
import { Clock, Duration, Effect } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { ClaimToken } from "../domain/Ids.ts"
import type { ClaimedDelivery } from "../domain/Delivery.ts"
import type { DeliverySender, HandedOver } from "../storage/ClaimOnWrite.ts"
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
  readonly handOver: <A extends HandedOver, E>(
    write: (sender: DeliverySender | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** Whether it has had nothing to do for so long that what it knows of the receiver is worth nothing any more. */
  readonly isSpent: (now: number) => boolean
  /**
   * Puts on record what has arrived, and gives back what has waited for too long, where all that is being sent hangs. To be asked
   * once a second or so.
   */
  readonly tend: Effect.Effect<void>
  /** Gives back what has not been sent, and claims nothing more. */
  readonly close: Effect.Effect<void>
}

/** How many milliseconds what is claimed ahead should last: some turns at storage, and well within `Limits.deliveryWait`. */
const lasting = 500

/** What has arrived is on record this many milliseconds later, whatever else is being sent: a killed process sends it again. */
const tendEvery = 1000

/** So many are put on record at once while more are handed over all the time: a good group. */
const settledAtOnce = Limits.deliveriesAhead / 2

/** For so many milliseconds without work the time of the last answers is remembered. */
const keptFor = 60_000

/** Over about how many answers their time is averaged. */
const remembered = 8

/**
 * Places of each endpoint: fewer, the more of the process's are taken, so that those whose receivers hang leave some for the
 * others.
 */
const placesEach = (inFlight: number): number => {
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
  let low = 0
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

  const giveBack = () => {
    for (const { delivery: { dueAt, id } } of waiting.splice(0)) {
      results.push({ deliveryId: id, result: { _tag: "Returned", at: dueAt } })
      mayBeDue = true
    }
  }

  /** As many ahead as will arrive, by those before, in the time that they should last. */
  const freePlaces = () => {
    const places = placesEach(senders.inFlight)
    const ahead = answerTime === undefined
      ? 0
      : Math.min(Limits.deliveriesAhead, Math.floor(places * lasting / Math.max(1, answerTime)))
    const limit = isClosed ? 0 : places - sending + ahead - waiting.length
    // What has its answer is in flight for storage until it is on record.
    return { low: ahead / 2, limit, ahead: ahead + results.length + settling }
  }

  const isAtRest = () => sending + waiting.length + results.length === 0

  const claimMore = Effect.gen(function*() {
    const { ahead, limit, low: half } = freePlaces()
    if (limit <= 0) return 0
    const since = yield* Clock.currentTimeMillis
    const claimed = yield* claim({ limit, ahead })
    isBehind = claimed.length === limit
    low = isBehind ? half : 0
    // Nothing is found beside what is in flight, maybe because of it.
    mayBeDue = claimed.length > 0 || !isAtRest()
    wasFull = false
    for (const delivery of claimed) waiting.push({ delivery, since })
    if (isClosed) giveBack()
    return claimed.length
  })

  /** What has waited for too long shows that those before it are not answered as others were. */
  const giveBackOld = (now: number) => {
    const [first] = waiting
    if (first === undefined || now - first.since <= Duration.toMillis(Limits.deliveryWait)) return
    answerTime = undefined
    giveBack()
  }

  /** The next to be sent, which takes a place, if there is one. */
  const next = (now: number) => {
    giveBackOld(now)
    // One place at least: what is claimed is to be sent, also when others have taken the last ones meanwhile.
    if (waiting.length === 0 || sending >= Math.max(1, placesEach(senders.inFlight))) return undefined
    sending += 1
    senders.inFlight += 1
    return waiting.shift()?.delivery
  }

  const leavePlace = Effect.sync(() => {
    sending -= 1
    senders.inFlight -= 1
  })

  const note = (settled: Settled, took: number) => {
    results.push(settled)
    if (settled.result._tag === "Delivered") {
      answerTime = answerTime === undefined ? took : answerTime + (took - answerTime) / remembered
    } else {
      answerTime = undefined
      giveBack()
    }
  }

  /** Sends one after the other, as long as there are any. */
  const sendInTurn = Effect.gen(function*() {
    const clock = yield* Clock.Clock
    let now = clock.currentTimeMillisUnsafe()
    for (let delivery = next(now); delivery !== undefined; delivery = next(now)) {
      const startedAt = now
      const settled = yield* Effect.ensuring(attempt(delivery), leavePlace)
      now = clock.currentTimeMillisUnsafe()
      note(settled, now - startedAt)
      if (isNeeded()) yield* visitIfNeeded
    }
    yield* visitIfNeeded
  })

  const sendWaiting = Effect.suspend(() =>
    Effect.forEach(
      waiting.slice(0, Limits.deliveriesInFlight - sending),
      () => senders.run(sendInTurn),
      { discard: true }
    )
  )

  /** What others have left is to be looked for, unless somebody is about to find out by writing events. */
  const isOthersTurn = () => wasFull && writing === 0 && isAtRest()

  /** What came of deliveries waits until more are to be claimed, or nothing is left that could bring somebody back here. */
  const isNeeded = () =>
    results.length >= settledAtOnce || results.length > 0 && (waiting.length <= low || sending === 0)

  /** Writes what there is, claims more when little is left, and begins to send it. */
  const keep = Effect.gen(function*() {
    visitedAt = yield* Clock.currentTimeMillis
    const written = results
    results = []
    settling = written.length
    if (written.length > 0) yield* Effect.ensuring(settle(written), Effect.sync(() => settling = 0))
    const isToClaim = mayBeDue ? waiting.length <= low : isOthersTurn()
    const claimed = isToClaim ? yield* claimMore : 0
    yield* sendWaiting
    return claimed
  })

  /** What could not be written comes again when its leases run out; what has come in meanwhile is for the next visit. */
  const visit: Effect.Effect<number, StorageError> = Effect.suspend(() => {
    visiting = "yes"
    return Effect.ensuring(
      keep,
      Effect.suspend(() => {
        const isWanted = visiting === "again" || isNeeded()
        visiting = "no"
        return isWanted ? visitBeside : Effect.void
      })
    )
  })

  const visitBeside = Effect.suspend(() => {
    // From here on, and not from when its fiber begins.
    visiting = "yes"
    return senders.run(Effect.asVoid(visit))
  })

  const visitIfNeeded = Effect.suspend(() => visiting === "no" && isNeeded() ? visitBeside : Effect.void)

  const begin = Effect.suspend(() => {
    mayBeDue = true
    if (visiting === "no") return visit
    const isNew = visiting === "yes"
    visiting = "again"
    return Effect.succeed(isNew ? 1 : 0)
  })

  const handOver: EndpointSender["handOver"] = Effect.fnUntraced(function*(write) {
    const { ahead, limit } = freePlaces()
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
      giveBack()
      yield* Effect.ignore(begin)
    } else if (visiting === "no" && isOthersTurn()) yield* visitBeside
    else yield* sendWaiting
    return written
  })

  return {
    isSpent: (now) =>
      visiting === "no" && sending === 0 && waiting.length === 0 && writing === 0 && now - visitedAt >= keptFor,
    begin,
    handOver,
    tend: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      giveBackOld(now)
      return visiting === "no" && results.length > 0 && now - visitedAt >= tendEvery ? visitBeside : Effect.void
    }),
    close: Effect.suspend(() => {
      isClosed = true
      giveBack()
      return visitIfNeeded
    })
  }
}
