/** The contract of calls and their recordings (spec §4.1–4.4). */
import { Call, Example, FieldDocs, Idempotency, Ids, PhoneNumber, Queries, Wire } from "@outdial/core"
import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { PreviewCallWire, StartCallBody } from "./StartCallBody.ts"
import { listOf, listQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { flag, noQuery, queryOf, someOf } from "../edge/RequestFields.ts"

const { field, like } = FieldDocs

/** Only on requests that make something: the same key makes it once. */
export const idempotencyHeaders = {
  "idempotency-key": field(
    Schema.optionalKey(Idempotency.IdempotencyKey),
    "Any unique text of at most 255 printable ASCII characters. A retry with the same key and body answers what the first request made instead of making it twice.",
    "order-4711-reminder-1"
  )
}

/** Only on the answer to a request that came again. */
export const replayHeaders = { "idempotent-replayed": Schema.Literal("true") }

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

const id = field(Ids.CallId, "The id.", Example.callId)
const partOfLink = (example: string) => field(Schema.optionalKey(Schema.String), "A part of the link.", example)

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
        "Queues one call. With the same Idempotency-Key, a retry answers the first call instead of calling twice."
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
    }).annotate(RequiredScopes, ["calls:write"]).annotateMerge(OpenApi.annotations({
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
        "What every rule makes of a call that is `queued`, at this moment, and from what. Of another call: what it ended with."
    })),
    HttpApiEndpoint.post("preview", "/calls/preview", {
      query: noQuery,
      payload: PreviewCallWire,
      success: Wire.ExplanationWire,
      error: ApiErrors.declare("invalid_request", "agent_not_found", "unavailable")
    }).middleware(RequestBody).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "Preview a call",
      description:
        "What every rule would make of a call to this number at this moment, and with which error it would be refused. Queues nothing. Takes a request for a call as it is."
    }))
  )
  .annotateMerge(OpenApi.annotations({
    description: "One call at a time. Many at once are better started as a batch."
  }))
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")

/** Links to recordings carry their own proof, so they need no key and open in a browser. */
export const RecordingsGroup = HttpApiGroup.make("recordings")
  .add(
    HttpApiEndpoint.get("open", "/calls/:id/recording", {
      params: { id },
      // A link that lost a part is as good as expired, which the answer to a wrong signature says already.
      query: queryOf({
        account: partOfLink("acct_01"),
        expires: partOfLink("1772532107"),
        signature: partOfLink("x")
      }),
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "audio/*" })),
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Listen to a recording",
      description: "The address in a call's recording_url. It needs no key, and works until recording_expires_at."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "What `recording_url` points to." }))
  .middleware(ErrorEnvelope)
  .prefix("/v1")
