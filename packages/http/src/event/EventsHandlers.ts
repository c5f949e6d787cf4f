/** The endpoints of events and their deliveries, each as one call to an engine service. */
import { Events, FeedCursor, Page } from "@outdial/core"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { CurrentAccess } from "../access/Authorization.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { toList, toListJson } from "../edge/Lists.ts"
import { shownDelivery } from "./EventsApi.ts"

const deliveries = HttpApiBuilder.group(
  Api,
  "deliveries",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* Events.Events
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const { state, ...rest } = query
        const filter = { ...rest, ...(state !== undefined && { states: state }) }
        const page = events.listDeliveries(accountId, filter, Page.pageRequest(query))
        return toList(yield* Effect.mapError(page, ApiErrors.from), shownDelivery)
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return shownDelivery(yield* Effect.mapError(events.getDelivery(accountId, params.id), ApiErrors.from))
      }),
      recover: Effect.fnUntraced(function*({ payload }) {
        const { accountId } = yield* CurrentAccess
        const recovered = yield* Effect.mapError(events.recover(accountId, payload), ApiErrors.from)
        return { object: "webhook_recovery" as const, events: recovered }
      })
    })
  })
)

const events = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* Events.Events
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentAccess
        const page = yield* Effect.mapError(events.list(accountId, query, Page.pageRequest(query)), ApiErrors.from)
        return HttpServerResponse.jsonUnsafe(toListJson(page, ({ body }): unknown => JSON.parse(body)))
      }),
      get: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        const { body } = yield* Effect.mapError(events.get(accountId, params.id), ApiErrors.from)
        // Returned as written: decoding with the current schema could drop fields of an older event, or fail.
        return HttpServerResponse.text(body, { contentType: "application/json" })
      }),
      feed: Effect.fnUntraced(function*({ query: { cursor: after = 0, limit } }) {
        const { accountId } = yield* CurrentAccess
        const page = events.feed(accountId, { after, limit: Page.limitOf(limit) })
        const { hasMore, items } = yield* Effect.mapError(page, ApiErrors.from)
        return HttpServerResponse.jsonUnsafe({
          object: "list",
          data: items.map(({ body }): unknown => JSON.parse(body)),
          has_more: hasMore,
          next_cursor: FeedCursor.toCursor(items.at(-1)?.position ?? after)
        })
      }),
      redeliver: Effect.fnUntraced(function*({ params }) {
        const { accountId } = yield* CurrentAccess
        return shownDelivery(yield* Effect.mapError(events.redeliver(accountId, params.id), ApiErrors.from))
      })
    })
  })
)

/** Handles the endpoints of `EventsGroup` and `DeliveriesGroup`. */
export const layer = Layer.mergeAll(events, deliveries)
