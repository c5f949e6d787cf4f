/**
 * Delivers events to webhook endpoints, at least once, by the retry schedule. An event keeps its id and its bytes on every
 * attempt; a slow endpoint holds up nobody else.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, Random, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { type AccountId, type ClaimToken, makeClaimToken } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { type ClaimedDelivery, type DeliveryResult, Storage, type StorageError } from "../ports/Storage.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import { TransportFailed } from "../ports/WebhookTransport.ts"
import * as RetrySchedule from "../rules/RetrySchedule.ts"
import * as InFlight from "./InFlight.ts"
import { forDueAccounts, whileStorageReturns } from "./Rounds.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"

const accountsPerRound = 64

export class Deliveries extends Context.Service<Deliveries, {
  /** Claims the deliveries that are due and sends them on their way; answers how many. Does not wait for them. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** Returns when no delivery is in flight. */
  readonly idle: Effect.Effect<void>
}>()("@outdial/core/engine/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const storage = yield* Storage
      const send = yield* DeliveryAttempt.makeSender
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const sending = yield* InFlight.make("A delivery", Duration.sum(Limits.deliveryDeadline, Duration.seconds(5)))

      const attempt = Effect.fn("Deliveries.attempt")(function*(
        accountId: AccountId,
        token: ClaimToken,
        delivery: ClaimedDelivery
      ) {
        const startedAt = yield* DateTime.now
        // Senders that were gone before they could tell have used up its attempts.
        const answer = yield* Effect.result(
          delivery.attempts < RetrySchedule.deliveryAttempts
            ? send(delivery, { id: delivery.eventId, body: delivery.body })
            : new TransportFailed({ errorCode: "network_error", cause: "No attempts are left" })
        )
        const now = yield* DateTime.now
        const roll = yield* Random.next
        const retryAfter = Result.isSuccess(answer) ? answer.success.retryAfter : Option.none()
        const attempt = DeliveryAttempt.made(answer, startedAt, now)
        const result: DeliveryResult = attempt.errorCode === undefined
          ? { _tag: "Delivered" }
          : next(delivery, now, roll, retryAfter)
        yield* storage.settleDeliveries({
          accountId,
          token,
          now,
          results: [{ deliveryId: delivery.id, result, attempt }]
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

      return Deliveries.of({
        runOnce: forDueAccounts(storage, { kind: "delivery", limit: accountsPerRound }, claim),
        idle: sending.idle
      })
    })
  )
}

const next = (
  { attempts }: ClaimedDelivery,
  now: DateTime.Utc,
  random: number,
  retryAfter: Option.Option<Duration.Duration>
): DeliveryResult => {
  const delay = RetrySchedule.deliveryDelay({
    attempts: attempts + 1,
    random,
    ...(Option.isSome(retryAfter) && { retryAfter: retryAfter.value })
  })
  return delay === undefined ? { _tag: "Exhausted" } : { _tag: "RetryAt", at: DateTime.addDuration(now, delay) }
}
