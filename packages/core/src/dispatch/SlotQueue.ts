/**
 * The accounts that wait for a slot of the calls per second of their carriers. They take turns: an account that used its slots waits behind
 * the others again. Slots are taken before a claim in a statement of their own, and those that the claim does not use are returned.
 */
import { DateTime, Duration, Effect, Option, type Scope, Semaphore } from "effect"
import type { AccountId, CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { attempt } from "../loop/AccountPoller.ts"
import * as CarrierSlots from "../rules/dispatch/CarrierSlots.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { CarrierStore } from "../telephony/CarrierStore.ts"

/** A carrier with a limit. */
export interface LimitedCarrier {
  readonly name: CarrierName
  readonly callsPerSecond: number
}

/** How many calls may be dialed by each carrier that has a limit. */
export type Slots = ReadonlyMap<CarrierName, number>

/** What an account did with its slots. */
export interface Turn {
  /** How much it did. */
  readonly done: number
  readonly used: Slots
}

export interface SlotQueueOptions {
  readonly carrierStore: CarrierStore["Service"]
  readonly carriers: ReadonlyArray<LimitedCarrier>
  /** Claims calls of the account for these slots, and submits them. */
  readonly claim: (accountId: AccountId, slots: Slots) => Effect.Effect<Turn, StorageError>
  /** Leads to `serve` for the account. */
  readonly wake: (accountId: AccountId) => Effect.Effect<void>
}

export interface SlotQueue {
  /** Serves the waiting accounts in turn, and this one last if it did not wait, while slots are free. Returns how much was done. */
  readonly serve: (accountId: AccountId) => Effect.Effect<number, StorageError>
  /** While accounts wait: when the next slot is free, as far as this process knows. */
  readonly freeAt: Effect.Effect<Option.Option<DateTime.Utc>>
}

/** The least pause before slots are asked for again: another process may have taken those that were free. */
const leastPause = Duration.millis(10)

/** What this process knows of the slots of a carrier. */
const makeCarrier = ({ callsPerSecond, name: carrier }: LimitedCarrier, carrierStore: CarrierStore["Service"]) => {
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
      if (heldUntil(now) !== undefined) return 0
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
  { carrierStore, carriers: limited, claim, wake }: SlotQueueOptions
): Effect.fn.Return<SlotQueue, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const oneAtATime = yield* Semaphore.make(1)
  const carriers = limited.map((carrier) => makeCarrier(carrier, carrierStore))
  const waiting = new Set<AccountId>()
  let isWaking = false

  /** When the next slot of any carrier is free. */
  const nextFreeAt = (now: DateTime.Utc) =>
    carriers.map(({ heldUntil }) => heldUntil(now) ?? now).reduce((first, at) => DateTime.min(first, at))

  const take = Effect.fnUntraced(function*(now: DateTime.Utc) {
    const slots = new Map<CarrierName, number>()
    for (const { carrier, take } of carriers) slots.set(carrier, yield* take(now))
    return slots
  })

  /** Claims calls for slots that were taken at `takenAt`. */
  const turn = Effect.fnUntraced(function*(accountId: AccountId, slots: Slots, takenAt: DateTime.Utc) {
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
    // It may have calls for more slots.
    if ([...slots].some(([carrier, taken]) => taken > 0 && used.get(carrier) === taken)) waiting.add(accountId)
    return done
  })

  const wakeLater = Effect.fnUntraced(function*() {
    const [next] = waiting
    if (next === undefined || isWaking) return
    isWaking = true
    const now = yield* DateTime.now
    const wakeNext = Effect.suspend(() => {
      isWaking = false
      return wake(next)
    })
    yield* Effect.forkIn(
      Effect.delay(wakeNext, Duration.max(leastPause, DateTime.distance(now, nextFreeAt(now)))),
      scope
    )
  })

  const round = Effect.gen(function*() {
    let done = 0
    // An account that waits again is served again, after the others.
    for (const accountId of waiting) {
      const now = yield* DateTime.now
      const slots = yield* take(now)
      if ([...slots.values()].every((taken) => taken === 0)) break
      waiting.delete(accountId)
      done += yield* attempt("dial", accountId, turn(accountId, slots, now))
    }
    yield* wakeLater()
    return done
  })
  return {
    serve: (accountId) =>
      oneAtATime.withPermits(1)(Effect.suspend(() => {
        waiting.add(accountId)
        return round
      })),
    freeAt: Effect.map(DateTime.now, (now) => waiting.size > 0 ? Option.some(nextFreeAt(now)) : Option.none())
  }
})
