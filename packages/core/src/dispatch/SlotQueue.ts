/**
 * The accounts that wait for a slot of the calls per second of their carriers. They take turns: an account that used its slots waits behind
 * the others again. A carrier without free slots, or without a limit, holds no calls of the others up. Slots are taken before a claim in a
 * statement of their own, and those that the claim does not use are returned.
 */
import { DateTime, Duration, Effect, type Scope, Semaphore } from "effect"
import type { AccountId, CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { attempt } from "../loop/AccountPoller.ts"
import * as CarrierSlots from "../rules/dispatch/CarrierSlots.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { CarrierStore } from "../telephony/CarrierStore.ts"

/** A carrier, with its limit if it has one. */
export interface QueuedCarrier {
  readonly name: CarrierName
  readonly callsPerSecond?: number
}

/** How many calls may be dialed over each carrier; infinitely many without a limit. */
export type Slots = ReadonlyMap<CarrierName, number>

/** What an account did with its slots. */
export interface Turn {
  /** How much it did. */
  readonly done: number
  readonly used: Slots
}

export interface SlotQueueOptions {
  readonly carrierStore: CarrierStore["Service"]
  readonly carriers: ReadonlyArray<QueuedCarrier>
  /** Claims calls of the account for these slots, and submits them. */
  readonly claim: (accountId: AccountId, slots: Slots) => Effect.Effect<Turn, StorageError>
  /** Leads to `resume`, when slots are free. */
  readonly wake: Effect.Effect<void>
}

export interface SlotQueue {
  /** Serves the waiting accounts in turn, and this one last if it did not wait, while slots are free. Returns how much was done. */
  readonly serve: (accountId: AccountId) => Effect.Effect<number, StorageError>
  /** Serves the waiting accounts in turn, each for the carriers whose slots it waits for. Returns how much was done. */
  readonly resume: Effect.Effect<number, StorageError>
  /** When the next slot is free of each carrier that accounts wait for, as far as this process knows. */
  readonly freeAt: Effect.Effect<ReadonlyMap<CarrierName, DateTime.Utc>>
}

/** The least pause before slots are asked for again: another process may have taken those that were free. */
const leastPause = Duration.millis(10)

/** What this process knows of the slots of a carrier. */
const makeCarrier = ({ callsPerSecond, name: carrier }: QueuedCarrier, carrierStore: CarrierStore["Service"]) => {
  if (callsPerSecond === undefined) {
    return {
      carrier,
      heldUntil: () => undefined,
      take: () => Effect.succeed(Infinity),
      giveBack: () => Effect.void
    }
  }
  const most = CarrierSlots.most(callsPerSecond)
  const longest = Duration.sum(CarrierSlots.span(most, callsPerSecond), Limits.clockUncertainty)
  let freeAt: DateTime.Utc | undefined

  /** When slots are free, if that is known to be later. An instant too far ahead is from before the clock was set back. */
  const heldUntil = (now: DateTime.Utc) =>
    freeAt !== undefined && DateTime.isGreaterThan(freeAt, now) &&
      DateTime.isLessThanOrEqualTo(freeAt, DateTime.addDuration(now, longest))
      ? freeAt
      : undefined

  return {
    carrier,
    heldUntil,
    take: Effect.fnUntraced(function*(now: DateTime.Utc) {
      const slots = yield* carrierStore.takeSlots({ carrier, callsPerSecond, now })
      freeAt = slots.freeAt
      return slots.taken
    }),
    giveBack: Effect.fnUntraced(function*(takenAt: DateTime.Utc, unused: number) {
      yield* carrierStore.returnSlots({ carrier, takenAt, unused })
      freeAt = DateTime.addDuration(takenAt, CarrierSlots.span(most - unused, callsPerSecond))
    })
  }
}

export const make = Effect.fnUntraced(function*(
  { carrierStore, carriers: given, claim, wake }: SlotQueueOptions
): Effect.fn.Return<SlotQueue, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const oneAtATime = yield* Semaphore.make(1)
  const carriers = given.map((carrier) => makeCarrier(carrier, carrierStore))
  const names = new Set(carriers.map(({ carrier }) => carrier))
  /** The accounts, each with the carriers whose slots it waits for. */
  const waiting = new Map<AccountId, ReadonlySet<CarrierName>>()
  /** When the queue wakes itself. */
  let wakesAt: DateTime.Utc | undefined

  /** When the next slot is free of each carrier that accounts wait for. */
  const freeAt = (now: DateTime.Utc) => {
    const wanted = new Set([...waiting.values()].flatMap((carriers) => [...carriers]))
    return new Map(
      carriers.flatMap(({ carrier, heldUntil }) => wanted.has(carrier) ? [[carrier, heldUntil(now) ?? now]] : [])
    )
  }

  /** Claims calls for slots that were taken at `takenAt`. */
  const turn = Effect.fnUntraced(
    function*(accountId: AccountId, wanted: ReadonlySet<CarrierName>, slots: Slots, takenAt: DateTime.Utc) {
      const returnUnused = (used: Slots) =>
        Effect.forEach(carriers, ({ carrier, giveBack }) => {
          const unused = (slots.get(carrier) ?? 0) - (used.get(carrier) ?? 0)
          return unused > 0 ? giveBack(takenAt, unused) : Effect.void
        }, { discard: true })
      const { done, used } = yield* claim(accountId, slots).pipe(
        // If they cannot be returned, they are used up by time.
        Effect.onError(() => Effect.ignore(returnUnused(new Map())))
      )
      yield* returnUnused(used)
      // It may have calls for more slots, and for the carriers that had none.
      const still = [...wanted].filter((carrier) => (slots.get(carrier) ?? 0) === (used.get(carrier) ?? 0))
      if (still.length > 0) waiting.set(accountId, new Set(still))
      return done
    }
  )

  const wakeLater = Effect.fnUntraced(function*() {
    if (waiting.size === 0) return
    const now = yield* DateTime.now
    const at = [...freeAt(now).values()].reduce((first, at) => DateTime.min(first, at))
    if (wakesAt !== undefined && DateTime.isLessThanOrEqualTo(wakesAt, at)) return
    wakesAt = at
    const wakeNext = Effect.suspend(() => {
      if (wakesAt === at) wakesAt = undefined
      return wake
    })
    yield* Effect.forkIn(Effect.delay(wakeNext, Duration.max(leastPause, DateTime.distance(now, at))), scope)
  })

  const round = Effect.gen(function*() {
    let done = 0
    // An account that waits again is served again, after the others.
    for (const [accountId, wanted] of waiting) {
      const now = yield* DateTime.now
      const free = carriers.filter(({ heldUntil }) => heldUntil(now) === undefined)
      if (free.length === 0) break
      const slots = new Map<CarrierName, number>()
      for (const { carrier, take } of free) if (wanted.has(carrier)) slots.set(carrier, yield* take(now))
      if ([...slots.values()].every((taken) => taken === 0)) continue
      waiting.delete(accountId)
      done += yield* attempt("dial", accountId, turn(accountId, wanted, slots, now))
    }
    yield* wakeLater()
    return done
  })
  return {
    serve: (accountId) =>
      oneAtATime.withPermits(1)(Effect.suspend(() => {
        // It may have new calls, for any carrier.
        waiting.set(accountId, names)
        return round
      })),
    resume: oneAtATime.withPermits(1)(round),
    freeAt: Effect.map(DateTime.now, freeAt)
  }
})
