/**
 * Events and their deliveries: reads them, sends them again, and passes them to handlers inside the host's processes,
 * also for hosts that cannot receive webhooks.
 */
import { Context, DateTime, Effect, Layer, Option, type Scope } from "effect"
import {
  EventExpired,
  InvalidRequest,
  NotFound,
  noWebhook,
  type Unavailable,
  WebhookDisabled
} from "../domain/Errors.ts"
import { defaultSubscription, type EventRecord, type SubscribableKind } from "../domain/Event.ts"
import { type AccountId, type DeliveryId, type EventId, subjectOf } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { RecoverEvents } from "../domain/WebhookEndpoint.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { type Handler, Subscriptions } from "../subscription/Subscriptions.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { CallStore } from "../call/CallStore.ts"
import type { DeliveryRecord } from "../domain/Delivery.ts"
import { type EventFilter, EventStore, type FeedPage } from "./EventStore.ts"
import { SubscriptionStore } from "../subscription/SubscriptionStore.ts"
import { type DeliveryFilter, DeliveryStore } from "../webhook/DeliveryStore.ts"

/** Deliveries made due by one statement: a day's events take a few statements, and each is short. */
const recoveredAtOnce = 1000

export class Events extends Context.Service<Events, {
  readonly get: (
    accountId: AccountId,
    id: EventId
  ) => Effect.Effect<EventRecord, EventExpired | NotFound | Unavailable>
  /** Newest first by (`createdAt`, `id`). */
  readonly list: (
    accountId: AccountId,
    filter: EventFilter,
    page: PageRequest
  ) => Effect.Effect<Page<EventRecord>, Unavailable>
  /**
   * Events after the position, 0 at first, oldest first. A reader that continues from the last returned position gets
   * every event once, in whatever order they were written.
   */
  readonly feed: (
    accountId: AccountId,
    page: { readonly after: number; readonly limit: number }
  ) => Effect.Effect<FeedPage, Unavailable>
  readonly getDelivery: (
    accountId: AccountId,
    id: DeliveryId
  ) => Effect.Effect<DeliveryRecord, NotFound | Unavailable>
  /** Newest first by (`createdAt`, `id`). */
  readonly listDeliveries: (
    accountId: AccountId,
    filter: DeliveryFilter,
    page: PageRequest
  ) => Effect.Effect<Page<DeliveryRecord>, Unavailable>
  /** Makes the event due for delivery to the webhook now, with the same bytes, whatever its state. */
  readonly redeliver: (
    accountId: AccountId,
    id: EventId
  ) => Effect.Effect<DeliveryRecord, EventExpired | NotFound | Unavailable | WebhookDisabled>
  /** Makes all undelivered events of the window due; returns how many. Safe to repeat. */
  readonly recover: (
    accountId: AccountId,
    window: RecoverEvents
  ) => Effect.Effect<number, NotFound | Unavailable | WebhookDisabled>
  /**
   * Passes every event of these kinds to the handler, at least once, while the scope is open, beginning with the first
   * subscription under this name. Events wait while no handler is subscribed. Any number of processes may share a name:
   * each event goes to one of them. Default: the terminal kinds.
   */
  readonly subscribe: (
    accountId: AccountId,
    name: string,
    handler: Handler,
    events?: ReadonlyArray<SubscribableKind>
  ) => Effect.Effect<void, InvalidRequest | Unavailable, Scope.Scope>
  /** Deletes the subscription and its pending deliveries. Safe to repeat. */
  readonly unsubscribe: (accountId: AccountId, name: string) => Effect.Effect<void, Unavailable>
}>()("@outdial/core/event/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function*() {
      const callStore = yield* CallStore
      const eventStore = yield* EventStore
      const deliveryStore = yield* DeliveryStore
      const subscriptionStore = yield* SubscriptionStore
      const subscriptions = yield* Subscriptions
      const wakeups = yield* Wakeups

      const orNotFound = <A>(found: Option.Option<A>, what: string) =>
        Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new NotFound({ what }))

      /** A missing event never existed, or is past its retention if its call or batch still exists. */
      const missing = Effect.fnUntraced(function*(accountId: AccountId, id: EventId) {
        const { batchId, callId } = subjectOf(id)
        const call = yield* orUnavailable(callStore.get(accountId, callId))
        const batch = Option.isSome(call) ? Option.none() : yield* orUnavailable(callStore.getBatch(accountId, batchId))
        const happened = Option.firstSomeOf([
          Option.flatMap(call, ({ endedAt }) => Option.fromUndefinedOr(endedAt)),
          Option.map(batch, ({ batch }) => batch.createdAt)
        ])
        const keptSince = DateTime.subtractDuration(yield* DateTime.now, Limits.eventRetention)
        const what = `event ${id}`
        return Option.exists(happened, (at) => DateTime.isLessThanOrEqualTo(at, keptSince))
          ? yield* new EventExpired({ what })
          : yield* new NotFound({ what })
      })

      return Events.of({
        get: Effect.fn("Events.get")(function*(accountId, id) {
          const found = yield* orUnavailable(eventStore.get(accountId, id))
          if (Option.isNone(found)) return yield* missing(accountId, id)
          return found.value.isErased ? yield* new EventExpired({ what: `event ${id}` }) : found.value
        }),
        list: Effect.fn("Events.list")((accountId, filter, page) =>
          orUnavailable(eventStore.list({ accountId, filter, page }))
        ),
        feed: Effect.fn("Events.feed")((accountId, page) => orUnavailable(eventStore.readFeed({ accountId, ...page }))),
        getDelivery: Effect.fn("Events.getDelivery")(function*(accountId, id) {
          return yield* orNotFound(yield* orUnavailable(deliveryStore.get(accountId, id)), `delivery ${id}`)
        }),
        listDeliveries: Effect.fn("Events.listDeliveries")((accountId, filter, page) =>
          orUnavailable(deliveryStore.list({ accountId, filter, page }))
        ),
        redeliver: Effect.fn("Events.redeliver")(function*(accountId, eventId) {
          const result = yield* orUnavailable(deliveryStore.redeliver({ accountId, eventId, now: yield* DateTime.now }))
          switch (result._tag) {
            case "Redelivering":
              yield* wakeups.notify("delivery", accountId)
              return result.delivery
            case "NoEvent":
              return yield* missing(accountId, eventId)
            case "NoWebhook":
              return yield* noWebhook
            case "Disabled":
              return yield* new WebhookDisabled()
            default:
              return result satisfies never
          }
        }),
        recover: Effect.fn("Events.recover")(function*(accountId, { since, until }) {
          const now = yield* DateTime.now
          const window = { since, until: until ?? now }
          let total = 0
          while (true) {
            const result = yield* orUnavailable(
              deliveryStore.recover({ accountId, ...window, now, limit: recoveredAtOnce })
            )
            if (result._tag === "NoWebhook") return yield* noWebhook
            if (result._tag === "Disabled") return yield* new WebhookDisabled()
            total += result.deliveries
            yield* wakeups.notify("delivery", accountId)
            if (result.deliveries < recoveredAtOnce) return total
          }
        }),
        subscribe: Effect.fn("Events.subscribe")(function*(accountId, name, handler, events = defaultSubscription) {
          if (!isName(name)) return yield* badName
          if (events.length === 0) return yield* noKinds
          yield* orUnavailable(subscriptionStore.put({ accountId, name, events, now: yield* DateTime.now }))
          yield* Effect.asVoid(
            Effect.acquireRelease(subscriptions.add({ accountId, name }, handler), (remove) => remove)
          )
          // Events from before this subscription's handler are due now.
          yield* wakeups.notify("delivery", accountId)
        }),
        unsubscribe: Effect.fn("Events.unsubscribe")((accountId, name) =>
          orUnavailable(subscriptionStore.delete({ accountId, name }))
        )
      })
    })
  )
}

/** A name that every storage stores unchanged: without control characters and lone surrogates. */
const isName = (name: string) =>
  name !== "" && name.length <= Limits.subscriberNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name)

const badName = new InvalidRequest({
  problems: [{
    path: ["name"],
    message: `must have 1 to ${Limits.subscriberNameLength} characters, and no control characters`
  }]
})

const noKinds = new InvalidRequest({
  problems: [{ path: ["events"], message: "must name at least one kind of event" }]
})
