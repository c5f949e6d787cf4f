/**
 * The contract of events and the log of their deliveries (`docs/decisions.md`, log and replay). An event is answered as it was
 * written when it happened, byte for byte the same fields that its deliveries carry.
 */
import { Event, type Events, Ids, Wire } from "@outdial/core"
import { type Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AllScopes, Authorization, RequiredScopes, Scopes } from "./Authorization.ts"
import { createdQuery, listOf, pageQuery } from "./Lists.ts"
import { ErrorEnvelope } from "./Middleware.ts"
import * as WireErrors from "./WireErrors.ts"
import { noQuery, oneOf, queryOf } from "./WireRequest.ts"

export const EventWire = Schema.Struct({
  id: Ids.EventId,
  object: Schema.Literal("event"),
  type: Event.SubscribableKind,
  timestamp: Schema.DateTimeUtc,
  api_version: Schema.Literal("v1"),
  test: Schema.Boolean,
  data: Wire.CallWire.annotate({ description: "The call as it was when the event happened" })
}).annotate({ identifier: "Event" })

export const EventsGroup = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", {
      query: queryOf({
        ...pageQuery,
        ...createdQuery,
        type: Schema.optionalKey(oneOf(Event.SubscribableKind)),
        call_id: Schema.optionalKey(Ids.CallId)
      }),
      success: listOf(EventWire),
      error: WireErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List events",
      description: "What happened, newest first, whether or not a webhook was told."
    })),
    HttpApiEndpoint.get("get", "/events/:id", {
      params: { id: Ids.EventId },
      query: noQuery,
      success: EventWire,
      error: WireErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an event" }))
  )
  // Events hold the data of calls.
  .annotateEndpoints(AllScopes, ["webhooks:manage", "calls:read"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")

const DeliveryState = Schema.Literals(["pending", "sending", "delivered", "exhausted"])

export const DeliveryWire = Schema.Struct({
  id: Ids.DeliveryId,
  object: Schema.Literal("webhook_delivery"),
  event_id: Ids.EventId,
  call_id: Ids.CallId,
  type: Event.SubscribableKind,
  state: DeliveryState,
  created_at: Schema.DateTimeUtc,
  next_attempt_at: Schema.optionalKey(Schema.DateTimeUtc),
  attempts: Schema.Array(Schema.Struct({
    attempt: Schema.Int.annotate({ description: "1 is the first" }),
    status_code: Schema.optionalKey(Schema.Int),
    error_code: Schema.optionalKey(Schema.String),
    duration_ms: Schema.Int,
    created_at: Schema.DateTimeUtc
  }))
}).annotate({ identifier: "WebhookDelivery" })

type Delivery = Effect.Success<ReturnType<Events.Events["Service"]["getDelivery"]>>

export const deliveryToWire = (delivery: Delivery): typeof DeliveryWire.Type => ({
  id: delivery.id,
  object: "webhook_delivery",
  event_id: delivery.eventId,
  call_id: delivery.callId,
  type: delivery.type,
  state: delivery.state,
  created_at: delivery.createdAt,
  ...(delivery.nextAttemptAt !== undefined && { next_attempt_at: delivery.nextAttemptAt }),
  attempts: delivery.attempts.map(({ at, durationMs, errorCode, statusCode }, index) => ({
    attempt: index + 1,
    ...(statusCode !== undefined && { status_code: statusCode }),
    ...(errorCode !== undefined && { error_code: errorCode }),
    duration_ms: durationMs,
    created_at: at
  }))
})

export const DeliveriesGroup = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/webhook/deliveries", {
      query: queryOf({
        ...pageQuery,
        ...createdQuery,
        event_id: Schema.optionalKey(Ids.EventId),
        call_id: Schema.optionalKey(Ids.CallId),
        state: Schema.optionalKey(oneOf(DeliveryState))
      }),
      success: listOf(DeliveryWire),
      error: WireErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List deliveries",
      description: "How the deliveries to your webhook endpoint went, newest first."
    })),
    HttpApiEndpoint.get("get", "/webhook/deliveries/:id", {
      params: { id: Ids.DeliveryId },
      query: noQuery,
      success: DeliveryWire,
      error: WireErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Get a delivery",
      description: "Every attempt, and when the next one is due."
    }))
  )
  .annotateEndpoints(RequiredScopes, ["webhooks:manage"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
