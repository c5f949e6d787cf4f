/** What happened, and how its delivery went: to read, also for those who cannot be reached by a webhook. */
import { Context, Effect, Layer, Option } from "effect"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { AccountId, DeliveryId, EventId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { EventRecord } from "../domain/Event.ts"
import { type DeliveryFilter, type DeliveryRecord, type EventFilter, Storage } from "../ports/Storage.ts"
import { orUnavailable } from "./Unavailable.ts"

export class Events extends Context.Service<Events, {
  readonly get: (accountId: AccountId, id: EventId) => Effect.Effect<EventRecord, NotFound | Unavailable>
  /** Newest first by (`createdAt`, `id`). */
  readonly list: (
    accountId: AccountId,
    filter: EventFilter,
    page: PageRequest
  ) => Effect.Effect<Page<EventRecord>, Unavailable>
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
}>()("@outdial/core/engine/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function*() {
      const storage = yield* Storage
      const orNotFound = <A>(found: Option.Option<A>, what: string) =>
        Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new NotFound({ what }))
      return Events.of({
        get: Effect.fn("Events.get")(function*(accountId, id) {
          return yield* orNotFound(yield* orUnavailable(storage.getEvent(accountId, id)), `event ${id}`)
        }),
        list: Effect.fn("Events.list")((accountId, filter, page) =>
          orUnavailable(storage.listEvents({ accountId, filter, page }))
        ),
        getDelivery: Effect.fn("Events.getDelivery")(function*(accountId, id) {
          return yield* orNotFound(yield* orUnavailable(storage.getDelivery(accountId, id)), `delivery ${id}`)
        }),
        listDeliveries: Effect.fn("Events.listDeliveries")((accountId, filter, page) =>
          orUnavailable(storage.listDeliveries({ accountId, filter, page }))
        )
      })
    })
  )
}
