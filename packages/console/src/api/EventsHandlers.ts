/** Sends events again. */
import { Events } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "events",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* Events.Events
    return handlers.handleAll({
      redeliver: Effect.fnUntraced(function*({ params: { account, id } }) {
        const delivery = yield* Effect.mapError(events.redeliver(account, id), ApiErrors.from)
        return { deliveryId: delivery.id, eventId: delivery.eventId, state: delivery.state }
      }),
      recover: Effect.fnUntraced(function*({ params: { account }, payload }) {
        return { events: yield* Effect.mapError(events.recover(account, payload), ApiErrors.from) }
      })
    })
  })
)
