/**
 * The contract of events and the log of their deliveries (`docs/decisions.md`, log and replay). An event is answered as it was
 * written when it happened, byte for byte the same fields that its deliveries carry.
 */
import { Event, type Events, FeedCursor, Ids, WebhookEndpoint, Wire } from "@outdial/core"
import { type Effect, Option, Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AllScopes, Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { createdQuery, listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { noQuery, oneOf, orNull, queryOf } from "../edge/RequestFields.ts"

export const EventWire = Schema.Struct({
  id: Ids.EventId,
  object: Schema.Literal("event"),
  type: Event.SubscribableKind,
  timestamp: Schema.DateTimeUtc,
  api_version: Schema.Literal("v1"),
  test: Schema.Boolean,
  data: Schema.Union([Wire.CallWire, Wire.BatchWire])
}).annotate({ identifier: "Event" })

const DeliveryState = Schema.Literals(["pending", "sending", "delivered", "exhausted", "held", "dropped"])

export const DeliveryWire = Schema.Struct({
  id: Ids.DeliveryId,
  object: Schema.Literal("webhook_delivery"),
  event_id: Ids.EventId,
  call_id: Schema.optionalKey(Ids.CallId),
  batch_id: Schema.optionalKey(Ids.BatchId),
  type: Event.SubscribableKind,
  state: DeliveryState,
  created_at: Schema.DateTimeUtc,
  next_attempt_at: Schema.optionalKey(Schema.DateTimeUtc),
  attempts: Schema.Array(Schema.Struct({
    attempt: Schema.Int.annotate({ description: "1 is the first" }),
    cause: Schema.Literals(["schedule", "probe", "redeliver", "recover"]),
    status_code: Schema.optionalKey(Schema.Int),
    error_code: Schema.optionalKey(Schema.String),
    duration_ms: Schema.Int,
    created_at: Schema.DateTimeUtc
  }))
}).annotate({ identifier: "WebhookDelivery" })

const Cursor = Schema.String.check(
  Schema.makeFilter((cursor) =>
    Option.isSome(FeedCursor.fromCursor(cursor)) || "was not made here; use the next_cursor of the feed"
  )
).pipe(
  Schema.decodeTo(Schema.Int, {
    // Checked above.
    decode: SchemaGetter.transform((cursor) => Option.getOrThrow(FeedCursor.fromCursor(cursor))),
    encode: SchemaGetter.transform((position) => FeedCursor.toCursor(position))
  })
)

/** Unlike a list's, the cursor is there on the last page too: it is where to go on from. */
const EventFeedWire = Schema.Struct({
  object: Schema.Literal("list"),
  data: Schema.Array(EventWire),
  has_more: Schema.Boolean,
  next_cursor: Cursor
}).annotate({ identifier: "EventFeed" })

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
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List events",
      description: "What happened, newest first, whether or not a webhook was told."
    })),
    HttpApiEndpoint.get("feed", "/events/feed", {
      query: queryOf({ limit: pageQuery.limit, cursor: Schema.optionalKey(Cursor) }),
      success: EventFeedWire,
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Follow events",
      description:
        "Events oldest first, each once, for those who cannot receive webhooks. Keep `next_cursor` and ask again with it, at once while `has_more`, else after a while: no event is missed, in whatever order they were written."
    })),
    HttpApiEndpoint.get("get", "/events/:id", {
      params: { id: Ids.EventId },
      query: noQuery,
      success: EventWire,
      error: ApiErrors.declare("not_found", "event_expired", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an event" })),
    HttpApiEndpoint.post("redeliver", "/events/:id/redeliver", {
      params: { id: Ids.EventId },
      query: noQuery,
      success: DeliveryWire.pipe(HttpApiSchema.status(202)),
      error: ApiErrors.declare("not_found", "webhook_disabled", "event_expired", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Send an event again",
      description: "Soon, with the same id and bytes, whatever became of it before."
    }))
  )
  // Events hold the data of calls.
  .annotateEndpoints(AllScopes, ["webhooks:manage", "calls:read"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")

const Recovery = Schema.Struct({
  object: Schema.Literal("webhook_recovery"),
  events: Schema.Int
}).annotate({ identifier: "WebhookRecovery" })

const RecoverWire = Schema.Struct({
  since: WebhookEndpoint.RecoverEvents.fields.since,
  until: orNull(WebhookEndpoint.RecoverEvents.fields.until)
}).check(WebhookEndpoint.isWindow).annotate({ identifier: "RecoverEvents" })

type Delivery = Effect.Success<ReturnType<Events.Events["Service"]["getDelivery"]>>

export const deliveryToWire = (delivery: Delivery): typeof DeliveryWire.Type => ({
  id: delivery.id,
  object: "webhook_delivery",
  event_id: delivery.eventId,
  ...(delivery.callId !== undefined && { call_id: delivery.callId }),
  ...(delivery.batchId !== undefined && { batch_id: delivery.batchId }),
  type: delivery.type,
  state: delivery.state,
  created_at: delivery.createdAt,
  ...(delivery.nextAttemptAt !== undefined && { next_attempt_at: delivery.nextAttemptAt }),
  attempts: delivery.attempts.map(({ at, cause, durationMs, errorCode, statusCode }, index) => ({
    attempt: index + 1,
    cause,
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
        state: Schema.optionalKey(
          Schema.Array(oneOf(DeliveryState)).annotate({
            description: "Only deliveries in this state; several may be given"
          })
        )
      }),
      success: listOf(DeliveryWire),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List deliveries",
      description: "How the deliveries to your webhook endpoint went, newest first."
    })),
    HttpApiEndpoint.get("get", "/webhook/deliveries/:id", {
      params: { id: Ids.DeliveryId },
      query: noQuery,
      success: DeliveryWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Get a delivery",
      description: "Every attempt, and when the next one is due."
    })),
    HttpApiEndpoint.post("recover", "/webhook/recover", {
      query: noQuery,
      payload: RecoverWire,
      success: Recovery.pipe(HttpApiSchema.status(202)),
      error: ApiErrors.declare("not_found", "webhook_disabled", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Send what was not delivered",
      description:
        "After an outage: every event of the window that your endpoint has not taken is sent soon, also those that were given up, or happened before there was an endpoint. Safe to repeat."
    }))
  )
  .annotateEndpoints(RequiredScopes, ["webhooks:manage"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
