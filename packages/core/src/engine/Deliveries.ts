/**
 * Delivers events to webhook endpoints, at least once, by the retry schedule. An event keeps its id and its bytes on every
 * attempt; a slow endpoint holds up nobody else.
 */
import { Context, DateTime, type Duration, Effect, Layer, Option, Random, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { type AccountId, type ClaimToken, makeClaimToken } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { type ClaimedDelivery, type DeliveryResult, Storage, type StorageError } from "../ports/Storage.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import { TransportFailed, WebhookTransport } from "../ports/WebhookTransport.ts"
import * as RetrySchedule from "../rules/RetrySchedule.ts"
import * as InFlight from "./InFlight.ts"
import { WebhookSigner } from "./WebhookSigner.ts"

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
      const transport = yield* WebhookTransport
      const signer = yield* WebhookSigner
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const sending = yield* InFlight.make("A delivery", Limits.deliveryDeadline)

      const attempt = Effect.fn("Deliveries.attempt")(function*(
        accountId: AccountId,
        token: ClaimToken,
        delivery: ClaimedDelivery
      ) {
        const signatures = yield* signer.sign(delivery.secrets, { id: delivery.eventId, body: delivery.body })
        const answer = yield* transport.send({
          url: delivery.url,
          headers: { "content-type": "application/json", "user-agent": "Outdial-Webhooks/1", ...signatures },
          body: delivery.body
        }).pipe(
          Effect.timeoutOrElse({
            duration: Limits.deliveryDeadline,
            orElse: () => new TransportFailed({ errorCode: "timeout", cause: "No answer within the deadline" })
          }),
          Effect.result
        )
        const now = yield* DateTime.now
        const roll = yield* Random.next
        const settled = Result.isSuccess(answer)
          ? {
            statusCode: answer.success.statusCode,
            ...(isSuccess(answer.success.statusCode)
              ? { result: { _tag: "Delivered" } as const }
              : { result: next(delivery, now, roll, answer.success.retryAfter), errorCode: "http_error" })
          }
          : { errorCode: answer.failure.errorCode, result: next(delivery, now, roll, Option.none()) }
        yield* storage.settleDeliveries({
          accountId,
          token,
          now,
          results: [{ deliveryId: delivery.id, ...settled }]
        })
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
        runOnce: Effect.gen(function*() {
          const accounts = yield* storage.accountsDue({
            kind: "delivery",
            now: yield* DateTime.now,
            limit: accountsPerRound
          })
          const claimed = yield* Effect.forEach(accounts, claim, { concurrency: 4 })
          return claimed.reduce((sum, n) => sum + n, 0)
        }),
        idle: sending.idle
      })
    })
  )
}

const isSuccess = (statusCode: number) => statusCode >= 200 && statusCode < 300

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
