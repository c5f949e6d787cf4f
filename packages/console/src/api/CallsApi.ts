/** The contract of what the console does with one call, beyond `/v1`: its timeline, and to hang it up. */
import { Call, CarrierReason, Conversation, Event, Ids, StatusCode, Wire } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount, Instant, snakeKeys } from "./Endpoints.ts"

const item = <const Kind extends string, const F extends Schema.Struct.Fields>(kind: Kind, fields: F) =>
  snakeKeys(Schema.Struct({ at: Instant, kind: Schema.Literal(kind), ...fields }))

/** One step of a call. No step has words of the contact. */
export const TimelineItem = Schema.Union([
  item("created", { batchId: Schema.NullOr(Ids.BatchId), test: Schema.Boolean }),
  item("held", {
    statusCode: StatusCode.StatusCode,
    reason: Schema.String,
    until: Schema.NullOr(Instant),
    /** It holds the call now. */
    isCurrent: Schema.Boolean,
    /** How many holds before it were not kept. */
    omitted: Schema.Int
  }),
  item("dialed", { carrier: Schema.NullOr(Schema.String) }),
  item("answered", { answeredBy: Schema.NullOr(Call.AnsweredBy) }),
  item("machine", { machine: Conversation.MachineKind }),
  item("ended", {
    status: Call.CallStatus,
    statusCode: Schema.NullOr(StatusCode.StatusCode),
    reason: Schema.NullOr(Schema.String),
    carrierReason: Schema.NullOr(CarrierReason.CarrierReason),
    durationSeconds: Schema.Int
  }),
  item("recording", { stored: Schema.Boolean }),
  item("outcome", { disposition: Schema.NullOr(Schema.String) }),
  item("event", { eventId: Ids.EventId, type: Event.SubscribableKind }),
  item("delivery", {
    deliveryId: Ids.DeliveryId,
    eventId: Ids.EventId,
    attempt: Schema.Int,
    cause: Schema.Literals(["schedule", "probe", "redeliver", "recover"]),
    /** Of the delivery at this moment. */
    state: Event.DeliveryState,
    statusCode: Schema.NullOr(Schema.Int),
    errorCode: Schema.NullOr(Schema.String),
    durationMs: Schema.Int
  })
])

export const Timeline = snakeKeys(Schema.Struct({
  /** In the order of time. */
  items: Schema.Array(TimelineItem),
  /** The trace of the call, if traces are exported. */
  traceId: Schema.NullOr(Schema.String)
}))

const call = { ...inAccount, id: Ids.CallId }

export const CallsGroup = HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.get("timeline", "/accounts/:account/calls/:id/timeline", {
      params: call,
      query: RequestFields.noQuery,
      success: Timeline,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(MinimumRole, "viewer"),
    HttpApiEndpoint.post("hangUp", "/accounts/:account/calls/:id/hang-up", {
      params: call,
      query: RequestFields.noQuery,
      success: Wire.CallWire,
      error: ApiErrors.declare("not_found", "call_not_live", "unavailable")
    }).middleware(RequestBody.NoBody).annotate(MinimumRole, "operator")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
