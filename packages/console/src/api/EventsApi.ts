/** The contract of sending events again. */
import { Event, Ids, WebhookEndpoint } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount, snakeKeys } from "./Endpoints.ts"

/** The delivery that is due now. */
export const Redelivery = snakeKeys(Schema.Struct({
  deliveryId: Ids.DeliveryId,
  eventId: Ids.EventId,
  state: Event.DeliveryState
}))

/** How many events are sent again. */
export const Recovery = Schema.Struct({ events: Schema.Int })

const RecoverEvents = RequestFields.body("RecoverEvents", WebhookEndpoint.RecoverEvents).check(
  WebhookEndpoint.isWindow
)

export const EventsGroup = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.post("redeliver", "/accounts/:account/events/:id/redeliver", {
      params: { ...inAccount, id: Ids.EventId },
      query: RequestFields.noQuery,
      success: Redelivery.pipe(HttpApiSchema.status(202)),
      error: ApiErrors.declare("not_found", "webhook_disabled", "event_expired", "unavailable")
    }).middleware(RequestBody.NoBody),
    HttpApiEndpoint.post("recover", "/accounts/:account/events/recover", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: RecoverEvents,
      success: Recovery.pipe(HttpApiSchema.status(202)),
      error: ApiErrors.declare("not_found", "webhook_disabled", "unavailable")
    }).middleware(RequestBody.RequestBody)
  )
  .annotateEndpoints(MinimumRole, "operator")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
