/**
 * Delivers events to webhook endpoints, at least once, by the retry schedule and the endpoint's circuit breaker. An
 * event has the same id and bytes on every attempt. A slow endpoint does not delay others: it fills only its own slots,
 * and endpoints with due deliveries take turns.
 */
import { Clock, Context, DateTime, Duration, Effect, Layer, Option, Random, Result, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { type AccountId, makeClaimToken } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as RetrySchedule from "../rules/webhook/RetrySchedule.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as InFlight from "../loop/InFlight.ts"
import * as Metrics from "../observe/Metrics.ts"
import { type AccountPoller, makePoller, whileStorageReturns } from "../loop/AccountPoller.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"
import * as EndpointSender from "./EndpointSender.ts"
import * as SigningBackoff from "./SigningBackoff.ts"
import type { ClaimedDelivery, DeliveryAttempt as Attempt } from "../domain/Delivery.ts"
import type { DeliveryResult } from "../domain/Delivery.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { WorkStore } from "../storage/WorkStore.ts"

const accountsPerRound = 64

/** Maximum number of concurrent storage operations. Meanwhile the groups of other endpoints grow, and large groups are the fastest. */
const storageConcurrency = 4

/** The response of a receiver that is gone for good (RFC 9110 §15.5.11). */
const gone = 410

export class Deliveries extends Context.Service<Deliveries, {
  /** Claims the due webhook deliveries and starts to send them; returns how many. Does not wait. */
  readonly runOnce: AccountPoller["runOnce"]
  /** The same for woken accounts, without asking storage which accounts have deliveries. */
  readonly runFor: AccountPoller["runFor"]
  /** Returns when no delivery is in flight. */
  readonly idle: Effect.Effect<void>
}>()("@outdial/core/webhook/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const deliveryStore = yield* DeliveryStore
      const workStore = yield* WorkStore
      const send = yield* DeliveryAttempt.makeSender
      const random = yield* SecureRandom.SecureRandom
      const signingBackoff = SigningBackoff.make()
      const sending = yield* InFlight.make("A delivery", Duration.sum(Limits.deliveryDeadline, Duration.seconds(5)))

      const storagePermits = yield* Semaphore.make(storageConcurrency)
      const senders: EndpointSender.Senders = { run: sending.run, inFlight: 0 }
      const endpoints = new Map<AccountId, EndpointSender.EndpointSender>()
      yield* Effect.addFinalizer(() => Effect.forEach(endpoints.values(), ({ close }) => close, { discard: true }))

      const attempt = Effect.fnUntraced(function*(delivery: ClaimedDelivery) {
        const clock = yield* Clock.Clock
        const startedAt = DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
        const answer = yield* Effect.result(send(delivery, { id: delivery.eventId, body: delivery.body }))
        const now = DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
        const retryAfter = Result.isSuccess(answer) ? answer.success.retryAfter : Option.none()
        const attempt = { ...DeliveryAttempt.made(answer, startedAt, now), cause: delivery.cause }
        const kept = signingBackoff.record(delivery.id, attempt.errorCode)
        const answered: DeliveryResult = attempt.errorCode === undefined
          ? { _tag: "Delivered" }
          : next(delivery, { now, random: yield* Random.next, retryAfter, attempt })
        const result: DeliveryResult = kept === undefined
          ? answered
          : { _tag: "NotSent", at: DateTime.addDuration(now, kept.delay) }
        yield* Metrics.delivered(result._tag, kept === undefined ? attempt.durationMs : undefined)
        return { deliveryId: delivery.id, result, ...(kept?.isLogged !== false && { attempt }) }
      })

      const makeEndpoint = Effect.fnUntraced(function*(accountId: AccountId) {
        const token = yield* makeClaimToken.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        return EndpointSender.make(senders, {
          attempt: (delivery) => CallTrace.step(delivery.eventId, "Deliveries.attempt")(attempt(delivery)),
          claim: (options) =>
            storagePermits.withPermit(
              Effect.flatMap(DateTime.now, (now) => deliveryStore.claim({ accountId, now, token, ...options }))
            ),
          settle: Effect.fnUntraced(function*(results) {
            const now = yield* DateTime.now
            // A sender that waits for storage to return frees its permit for others.
            const disabled = yield* storagePermits.withPermit(deliveryStore.settle({ accountId, token, now, results }))
              .pipe(Effect.retry(whileStorageReturns))
            if (Option.isSome(disabled)) {
              yield* Effect.logWarning(
                `The webhook of ${accountId} is disabled (${disabled.value}); its events are held until its owner enables it`
              )
            }
          })
        })
      })

      const endpointOf = Effect.fnUntraced(function*(accountId: AccountId) {
        const known = endpoints.get(accountId)
        if (known !== undefined) return known
        const made = yield* makeEndpoint(accountId)
        // Another fiber may have created it meanwhile.
        const endpoint = endpoints.get(accountId) ?? made
        endpoints.set(accountId, endpoint)
        return endpoint
      })

      const removeExpired = Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [accountId, { isExpired }] of endpoints) if (isExpired(now)) endpoints.delete(accountId)
      })

      // A sender that has begun continues in the background.
      const rounds = yield* makePoller(
        workStore,
        { kind: "delivery", limit: accountsPerRound, group: Infinity },
        (accountId) => Effect.flatMap(endpointOf(accountId), ({ begin }) => begin)
      )
      return Deliveries.of({
        runOnce: Effect.andThen(removeExpired, rounds.runOnce),
        runFor: (woken) => Effect.andThen(removeExpired, rounds.runFor(woken)),
        idle: sending.idle
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
