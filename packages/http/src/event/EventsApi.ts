/**
 * The contract of events and the log of their deliveries (`docs/decisions.md`, log and replay). An event is returned as it was
 * written when it happened, with the fields of its deliveries.
 */
import { Event, type Events, Example, FeedCursor, FieldDocs, Ids, Queries, WebhookEndpoint, Wire } from "@outdial/core"
import { type Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AllScopes, Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { listOf, listQuery, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { body, noQuery, oneOf, queryOf, someOf } from "../edge/RequestFields.ts"

const { apart, field, like } = FieldDocs

const deliveryId = "dlv_01KCA6ZJ6QK4D8V1V7N3R2T5WX"
const call = {
  id: Example.callId,
  object: "call",
  status: "completed",
  agent_id: Example.agentId,
  phone_number: Example.phoneNumber,
  contact: Example.contact,
  variables: Example.variables,
  metadata: Example.metadata,
  batch_id: null,
  test: false,
  duration_seconds: 42,
  created_at: Example.created,
  ended_at: Example.ended,
  outcome: Example.outcome
}

export const EventWire = Schema.Struct({
  id: field(
    Ids.EventId,
    "The same on every delivery attempt: ignore an id that you have seen.",
    Example.eventId
  ),
  object: field(Schema.Literal("event"), "Always `event`.", "event"),
  type: field(Event.SubscribableKind, "What happened.", "call.completed"),
  timestamp: field(Schema.DateTimeUtc, "When it happened.", Example.ended),
  api_version: field(Schema.Literal("v1"), "The API version of `data`.", "v1"),
  test: field(Schema.Boolean, "Whether the call was only simulated.", false),
  data: field(
    Schema.Union([Wire.CallWire, Wire.BatchWire]),
    "The call at that time, as `GET /v1/calls/{id}` returned it. For `batch.completed`, the batch as in the list of batches.",
    call
  )
}).annotate({ identifier: "Event" })

export const DeliveryWire = Wire.snakeKeys(
  Schema.Struct({
    id: field(Ids.DeliveryId, "The delivery's id.", deliveryId),
    object: field(Schema.Literal("webhook_delivery"), "Always `webhook_delivery`.", "webhook_delivery"),
    eventId: field(Ids.EventId, "The event that is delivered.", Example.eventId),
    callId: field(
      Schema.optionalKey(Ids.CallId),
      "The call that the event is about; absent if it is about a batch.",
      Example.callId
    ),
    batchId: apart(Schema.optionalKey(Ids.BatchId), "The batch that the event is about.", Example.batchId),
    type: field(Event.SubscribableKind, "The kind of event.", "call.completed"),
    state: field(
      Event.DeliveryState,
      "`exhausted`: no more attempts. `held`: the webhook is disabled. `dropped`: the webhook was removed.",
      "pending"
    ),
    createdAt: field(Schema.DateTimeUtc, "When the event happened.", Example.ended),
    nextAttemptAt: field(
      Schema.optionalKey(Schema.DateTimeUtc),
      "The time of the next attempt; absent if there is none.",
      "2026-03-02T10:06:47.000Z"
    ),
    attempts: field(
      Schema.Array(Wire.snakeKeys(Schema.Struct({
        attempt: field(Schema.Int, "Its number; 1 is the first.", 1),
        cause: field(
          Schema.Literals(["schedule", "probe", "redeliver", "recover"]),
          "Why it was made: `schedule`, `redeliver` or `recover` when you asked for it, or `probe` to test a receiver that failed. A failed probe does not count as an attempt.",
          "schedule"
        ),
        statusCode: field(
          Schema.optionalKey(Schema.Int),
          "The status of the receiver's response; absent if there was none.",
          503
        ),
        errorCode: field(
          Schema.optionalKey(Schema.String),
          "The error; absent if it was delivered.",
          "http_error"
        ),
        durationMs: field(Schema.Int, "How long it took.", 87),
        createdAt: field(Schema.DateTimeUtc, "When it was created.", Example.ended)
      }))),
      "Every attempt so far, in order.",
      [{
        attempt: 1,
        cause: "schedule",
        status_code: 503,
        error_code: "http_error",
        duration_ms: 87,
        created_at: Example.ended
      }]
    )
  }),
  "WebhookDelivery"
)

const Cursor = FeedCursor.Cursor("next_cursor")

/** Unlike a list, the last page has a cursor, too, from which to continue. */
const EventFeedWire = Schema.Struct({
  object: field(Schema.Literal("list"), "Always `list`.", "list"),
  data: field(Schema.Array(EventWire), "The events, oldest first.", []),
  has_more: field(Schema.Boolean, "Whether there are more now.", false),
  next_cursor: field(Cursor, "Send it as `cursor` to continue from here, now or later.", "WyJmZWVkIiw0MF0")
}).annotate({ identifier: "EventFeed" })

export const EventsGroup = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", {
      query: queryOf({
        ...Queries.EventQuery.fields,
        ...listQuery,
        type: like(Queries.EventQuery.fields.type, Schema.optionalKey(oneOf(Event.SubscribableKind)))
      }),
      success: listOf(EventWire),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List events",
      description: "All events, newest first, whether or not they were sent to a webhook."
    })),
    HttpApiEndpoint.get("feed", "/events/feed", {
      query: queryOf({ limit: pageQuery.limit, cursor: like(pageQuery.cursor, Schema.optionalKey(Cursor)) }),
      success: EventFeedWire,
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Follow events",
      description:
        "Events oldest first, each once, for clients that cannot receive webhooks. Send `next_cursor` with the next request: at once while `has_more` is true, otherwise later. No event is missed, whatever the order of the commits."
    })),
    HttpApiEndpoint.get("get", "/events/:id", {
      params: { id: field(Ids.EventId, "The id.", Example.eventId) },
      query: noQuery,
      success: EventWire,
      error: ApiErrors.declare("not_found", "event_expired", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an event" })),
    HttpApiEndpoint.post("redeliver", "/events/:id/redeliver", {
      params: { id: field(Ids.EventId, "The id.", Example.eventId) },
      query: noQuery,
      success: DeliveryWire.pipe(HttpApiSchema.status(202)),
      error: ApiErrors.declare("not_found", "webhook_disabled", "event_expired", "unavailable")
    }).middleware(NoBody).annotateMerge(OpenApi.annotations({
      summary: "Send an event again",
      description: "Sends it soon, with the same id and bytes, also if it was delivered before."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "Events of calls and batches. Kept for 30 days." }))
  // Events contain data of calls.
  .annotateEndpoints(AllScopes, ["webhooks:manage", "calls:read"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")

const Recovery = Schema.Struct({
  object: field(Schema.Literal("webhook_recovery"), "Always `webhook_recovery`.", "webhook_recovery"),
  events: field(Schema.Int, "How many events will be sent.", 17)
}).annotate({ identifier: "WebhookRecovery" })

const RecoverWire = body("RecoverEvents", WebhookEndpoint.RecoverEvents).check(WebhookEndpoint.isWindow)

type Delivery = Effect.Success<ReturnType<Events.Events["Service"]["getDelivery"]>>

/** A delivery with its attempts numbered. */
export const shownDelivery = ({ attempts, ...delivery }: Delivery): typeof DeliveryWire.Type => ({
  ...delivery,
  object: "webhook_delivery",
  attempts: attempts.map(({ at, ...attempt }, index) => ({ ...attempt, attempt: index + 1, createdAt: at }))
})

export const DeliveriesGroup = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/webhook/deliveries", {
      query: queryOf({
        ...Queries.DeliveryQuery.fields,
        ...listQuery,
        state: like(
          Queries.DeliveryQuery.fields.state,
          someOf(Event.DeliveryState, "Only deliveries in this state; several may be given")
        )
      }),
      success: listOf(DeliveryWire),
      error: ApiErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "List deliveries",
      description: "Deliveries to your webhook endpoint, newest first."
    })),
    HttpApiEndpoint.get("get", "/webhook/deliveries/:id", {
      params: { id: field(Ids.DeliveryId, "The id.", deliveryId) },
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
      summary: "Recover undelivered events",
      description:
        "Use it after an outage. Sends every event of the window that was not delivered, also after its last attempt, or if it happened before there was an endpoint. Safe to repeat."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "The log of webhook deliveries. Kept for 30 days." }))
  .annotateEndpoints(RequiredScopes, ["webhooks:manage"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
