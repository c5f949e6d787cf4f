/**
 * Delivers events to webhook endpoints, at least once, by the retry schedule and the endpoint's circuit breaker. An event
 * keeps its id and its bytes on every attempt; a slow endpoint holds up nobody else: it fills its own few places, and
 * endpoints with something due take turns.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, Random, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { type AccountId, type ClaimToken, makeClaimToken } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import {
  type ClaimedDelivery,
  type DeliveryAttempt as Attempt,
  type DeliveryResult,
  Storage,
  type StorageError
} from "../ports/Storage.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import * as RetrySchedule from "../rules/RetrySchedule.ts"
import * as InFlight from "./InFlight.ts"
import { inTurn, whileStorageReturns } from "./Rounds.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"
import { Subscriptions } from "./Subscriptions.ts"
import * as Unsent from "./Unsent.ts"

const accountsPerRound = 64

/** What a receiver answers that will never be there again (RFC 9110 §15.5.11). */
const gone = 410

export class Deliveries extends Context.Service<Deliveries, {
  /** Claims the deliveries that are due, subscribers' too, and sends them on their way; answers how many. Does not wait. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** Returns when no delivery is in flight. */
  readonly idle: Effect.Effect<void>
}>()("@outdial/core/engine/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const storage = yield* Storage
      const subscriptions = yield* Subscriptions
      const send = yield* DeliveryAttempt.makeSender
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const unsent = Unsent.make()
      const sending = yield* InFlight.make("A delivery", Duration.sum(Limits.deliveryDeadline, Duration.seconds(5)))

      const attempt = Effect.fn("Deliveries.attempt")(function*(
        accountId: AccountId,
        token: ClaimToken,
        delivery: ClaimedDelivery
      ) {
        const startedAt = yield* DateTime.now
        const answer = yield* Effect.result(send(delivery, { id: delivery.eventId, body: delivery.body }))
        const now = yield* DateTime.now
        const roll = yield* Random.next
        const retryAfter = Result.isSuccess(answer) ? answer.success.retryAfter : Option.none()
        const attempt = { ...DeliveryAttempt.made(answer, startedAt, now), cause: delivery.cause }
        const kept = unsent.note(delivery.id, attempt.errorCode)
        const answered: DeliveryResult = attempt.errorCode === undefined
          ? { _tag: "Delivered" }
          : next(delivery, { now, random: roll, retryAfter, attempt })
        const result: DeliveryResult = kept === undefined
          ? answered
          : { _tag: "NotSent", at: DateTime.addDuration(now, kept.delay) }
        yield* storage.settleDeliveries({
          accountId,
          token,
          now,
          results: [{ deliveryId: delivery.id, result, ...(kept?.isLogged !== false && { attempt }) }]
        }).pipe(Effect.retry(whileStorageReturns))
        // There may be more for this endpoint than may be in flight at once.
        yield* wakeups.notify("delivery", accountId)
      })

      const claim = Effect.fnUntraced(function*(accountId: AccountId) {
        const token = yield* makeClaimToken.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const limit = Limits.deliveriesInFlight
        const claimed = yield* storage.claimDeliveries({ accountId, now: yield* DateTime.now, limit, token })
        yield* Effect.forEach(claimed, (delivery) => sending.run(attempt(accountId, token, delivery)), {
          discard: true
        })
        return claimed.length
      })

      const round = yield* inTurn(storage, { kind: "delivery", limit: accountsPerRound }, claim)
      return Deliveries.of({
        runOnce: Effect.zipWith(round, subscriptions.runOnce, (delivered, handled) => delivered + handled),
        idle: Effect.andThen(sending.idle, subscriptions.idle)
      })
    })
  )
}

const next = (
  { attempts, cause }: ClaimedDelivery,
  { attempt, now, random, retryAfter }: {
    readonly now: DateTime.Utc
    readonly random: number
    readonly retryAfter: Option.Option<Duration.Duration>
    readonly attempt: Pick<Attempt, "errorCode" | "statusCode">
  }
): DeliveryResult => {
  if (attempt.statusCode === gone) return { _tag: "Gone" }
  if (cause === "probe") return { _tag: "ProbeFailed" }
  const delay = RetrySchedule.deliveryDelay({
    attempts: attempts + 1,
    random,
    ...(Option.isSome(retryAfter) && { retryAfter: retryAfter.value })
  })
  return delay === undefined ? { _tag: "Exhausted" } : { _tag: "RetryAt", at: DateTime.addDuration(now, delay) }
}
