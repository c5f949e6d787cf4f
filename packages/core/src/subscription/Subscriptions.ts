/**
 * Passes events to handlers inside the host's processes, at least once: one delivery row per event and name, claimed like webhook
 * deliveries. Only names with a handler in this process are claimed; events of other names wait for their handler.
 */
import { Context, DateTime, Duration, Effect, Latch, Layer, Option, Random, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { EventRecord } from "../domain/Event.ts"
import { type AccountId, type ClaimToken, makeClaimToken } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import * as RetrySchedule from "../rules/webhook/RetrySchedule.ts"
import * as InFlight from "../loop/InFlight.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { type SubscriberDelivery, type SubscriberKey, SubscriptionStore } from "./SubscriptionStore.ts"
import type { DeliveryResult } from "../domain/Delivery.ts"
import { DeliveryStore } from "../webhook/DeliveryStore.ts"

/** Handles an event. If it fails, or takes longer than `Limits.handlerDeadline`, it gets the event again later. */
export type Handler = (event: EventRecord) => Effect.Effect<void, unknown>

export class Subscriptions extends Context.Service<Subscriptions, {
  /** Passes events of the name to this handler, in place of an earlier one. Returns the effect that removes it. */
  readonly add: (key: SubscriberKey, handler: Handler) => Effect.Effect<Effect.Effect<void>>
  /** Returns when the first handler has been added. */
  readonly awaitHandler: Effect.Effect<void>
  /** Claims due events of this process's handlers and runs the handlers; returns how many. Does not wait for them. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** Returns when no handler is at work. */
  readonly idle: Effect.Effect<void>
  /** When the next event of this process's handlers is due, maybe in the past. */
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
}>()("@outdial/core/subscription/Subscriptions") {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function*() {
      const deliveryStore = yield* DeliveryStore
      const subscriptionStore = yield* SubscriptionStore
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const handling = yield* InFlight.make(
        "Handling an event",
        Duration.sum(Limits.handlerDeadline, Duration.seconds(5))
      )
      const handlers = new Map<string, SubscriberKey & { readonly handler: Handler }>()
      const atWork = new Set<string>()
      const hasHandler = yield* Latch.make()

      const handOver = Effect.fn("Subscriptions.handOver")(function*(
        { accountId, name }: SubscriberKey,
        token: ClaimToken,
        { attempts, event, id }: SubscriberDelivery,
        handler: Handler
      ) {
        const startedAt = yield* DateTime.now
        const answer = yield* Effect.suspend(() => handler(event)).pipe(
          // A handler is the host's code: a defect counts as a failed attempt.
          Effect.catchDefect((cause) => Effect.fail(cause)),
          Effect.timeoutOrElse({
            duration: Limits.handlerDeadline,
            orElse: () => Effect.fail("The handler took too long")
          }),
          Effect.tapError((error) => Effect.logWarning(`The subscriber ${name} could not handle ${event.id}`, error)),
          Effect.result
        )
        const now = yield* DateTime.now
        const isDone = Result.isSuccess(answer)
        const result: DeliveryResult = isDone ? { _tag: "Delivered" } : again(attempts + 1, yield* Random.next, now)
        const durationMs = Duration.toMillis(DateTime.distance(startedAt, now))
        const attempt = {
          at: startedAt,
          cause: "schedule" as const,
          durationMs,
          ...(!isDone && { errorCode: "handler_failed" })
        }
        yield* deliveryStore.settle({
          accountId,
          subscriber: name,
          token,
          now,
          results: [{ deliveryId: id, result, attempt }]
        }).pipe(Effect.retry(whileStorageReturns))
        // There may be more for this name than may be in flight at once.
        yield* wakeups.notify("delivery", accountId)
      })

      const claim = Effect.fnUntraced(function*(key: SubscriberKey) {
        const handler = handlers.get(keyOf(key))?.handler
        if (handler === undefined) return 0
        const { accountId, name } = key
        const token = yield* makeClaimToken.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const claimed = yield* subscriptionStore.claim({ accountId, name, now: yield* DateTime.now, token })
        // A handler that cannot be interrupted outlives its lease; another process then gets its event.
        const idle = claimed.filter(({ id }) => !atWork.has(id))
        yield* Effect.forEach(idle, (delivery) => {
          atWork.add(delivery.id)
          return handling.run(Effect.ensuring(
            handOver(key, token, delivery, handler),
            Effect.sync(() => atWork.delete(delivery.id))
          ))
        }, { discard: true })
        return idle.length
      })

      const due = Effect.suspend(() =>
        handlers.size === 0 ? Effect.succeed([]) : subscriptionStore.due([...handlers.values()])
      )

      return Subscriptions.of({
        add: (key, handler) =>
          Effect.sync(() => {
            const added = { accountId: key.accountId, name: key.name, handler }
            handlers.set(keyOf(key), added)
            hasHandler.openUnsafe()
            return Effect.sync(() => {
              if (handlers.get(keyOf(key)) === added) handlers.delete(keyOf(key))
            })
          }),
        awaitHandler: hasHandler.await,
        runOnce: Effect.gen(function*() {
          const now = yield* DateTime.now
          const keys = (yield* due).filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
          const claimed = yield* Effect.forEach(
            keys,
            (key) =>
              Effect.catch(
                claim(key),
                (error) =>
                  Effect.as(Effect.logError(`Events for ${key.name} were not claimed; this is retried`, error), 0)
              ),
            { concurrency: 4 }
          )
          return claimed.reduce((sum, n) => sum + n, 0)
        }),
        idle: handling.idle,
        nextDueAt: Effect.map(
          due,
          (all) => Option.fromUndefinedOr(all.map(({ dueAt }) => dueAt).sort(DateTime.Order)[0])
        )
      })
    })
  )
}

/** An account's id has no space in it. */
const keyOf = ({ accountId, name }: { readonly accountId: AccountId; readonly name: string }) => `${accountId} ${name}`

const again = (attempts: number, random: number, now: DateTime.Utc): DeliveryResult => {
  const delay = RetrySchedule.subscriberDelay({ attempts, random })
  return delay === undefined ? { _tag: "Exhausted" } : { _tag: "RetryAt", at: DateTime.addDuration(now, delay) }
}
