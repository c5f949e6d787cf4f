/** The contract of calls (spec §4.1–4.4). */
import { Call, Example, FieldDocs, Ids, PhoneNumber, Queries, Transcript, Wire } from "@outdial/core"
import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { idempotencyHeaders, replayHeaders } from "./Idempotency.ts"
import { PreviewCallWire, StartCallBody } from "./StartCallBody.ts"
import { listOf, listQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { flag, noQuery, queryOf, someOf } from "../edge/RequestFields.ts"

const { field, like } = FieldDocs

const StartedCall = Wire.CallWire.pipe(HttpApiSchema.status(201))
const ReplayedCall = HttpApiSchema.WithHeaders(Wire.CallWire.pipe(HttpApiSchema.status(200)), replayHeaders)

// A `+` that was not percent-encoded arrives as a space.
const PhoneNumberInQuery = Schema.String.pipe(
  Schema.decodeTo(PhoneNumber.WrittenNumber, {
    decode: SchemaGetter.transform((text) => text.replace(/^ /, "+")),
    encode: SchemaGetter.passthrough()
  })
)

const { fields } = Queries.CallQuery
const callQuery = {
  ...fields,
  ...listQuery,
  status: like(
    fields.status,
    someOf(Call.CallStatus, "Only calls with this status; several may be given")
  ),
  externalId: like(fields.externalId, Schema.optionalKey(Schema.String.annotate({ description: "The contact's" }))),
  phoneNumber: like(fields.phoneNumber, Schema.optionalKey(PhoneNumberInQuery)),
  test: like(fields.test, Schema.optionalKey(flag))
}

const SequenceInText = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,9}$/, { message: "must be the sequence number of a turn, or 0" })
).pipe(
  Schema.decodeTo(Transcript.Sequence, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

const id = field(Ids.CallId, "The id.", Example.callId)

export const CallsGroup = HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.post("start", "/calls", {
      headers: idempotencyHeaders,
      query: noQuery,
      payload: StartCallBody,
      success: [StartedCall, ReplayedCall],
      error: ApiErrors.declare(
        "invalid_request",
        "agent_not_found",
        "missing_variables",
        "number_not_allowed",
        "number_do_not_call",
        "call_already_queued",
        "number_limit_reached",
        "idempotency_key_reused",
        "idempotency_key_in_use",
        "unavailable"
      )
    }).middleware(RequestBody).annotate(RequiredScopes, ["calls:write"]).annotateMerge(OpenApi.annotations({
      summary: "Start a call",
      description:
        "Queues one call. A retry with the same Idempotency-Key returns the first call and does not call again."
    })),
    HttpApiEndpoint.get("list", "/calls", {
      query: queryOf(callQuery),
      success: listOf(Wire.CallWire),
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "List calls",
      description: "Your calls, newest first."
    })),
    HttpApiEndpoint.get("get", "/calls/:id", {
      params: { id },
      query: noQuery,
      success: Wire.CallWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({ summary: "Get a call" })),
    HttpApiEndpoint.post("cancel", "/calls/:id/cancel", {
      params: { id },
      query: noQuery,
      success: Wire.CallWire,
      error: ApiErrors.declare("not_found", "call_not_cancelable", "unavailable")
    }).middleware(NoBody).annotate(RequiredScopes, ["calls:write"]).annotateMerge(OpenApi.annotations({
      summary: "Cancel a call",
      description: "Only a call that is still `queued` can be canceled."
    })),
    HttpApiEndpoint.get("explain", "/calls/:id/explanation", {
      params: { id },
      query: noQuery,
      success: Wire.ExplanationWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "Explain a call",
      description:
        "For a `queued` call: the result of every rule now, with its data. For any other call: its status, and the result of every rule when it was dialed or ended."
    })),
    HttpApiEndpoint.get("transcript", "/calls/:id/transcript", {
      params: { id },
      headers: {
        "last-event-id": field(
          Schema.optionalKey(SequenceInText),
          "Only for a stream: the `id` of the last event that was received. Replaces `after`.",
          "12"
        )
      },
      query: queryOf({
        after: like(Queries.TranscriptQuery.fields.after, Schema.optionalKey(SequenceInText))
      }),
      success: Wire.TranscriptWire,
      error: ApiErrors.declare("invalid_request", "not_found", "too_many_streams", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "Get or follow a transcript",
      description:
        "What was said so far. With `Accept: text/event-stream` the response is a stream of server-sent events: one `turn` for each turn, whose `id` is its sequence number, and `sealed` when no turn will follow."
    })),
    HttpApiEndpoint.post("preview", "/calls/preview", {
      query: noQuery,
      payload: PreviewCallWire,
      success: Wire.ExplanationWire,
      error: ApiErrors.declare("invalid_request", "agent_not_found", "unavailable")
    }).middleware(RequestBody).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "Preview a call",
      description:
        "The result of every rule for a call to this number now, and the error with which the call would be rejected. Queues nothing. A request for a call is also valid here."
    }))
  )
  .annotateMerge(OpenApi.annotations({
    description: "Single calls. To start many calls, use a batch."
  }))
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
