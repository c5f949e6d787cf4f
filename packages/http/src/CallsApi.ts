/** The contract of calls and their recordings (spec §4.1, §4.2). */
import { Call, Idempotency, Ids, Wire } from "@outdial/core"
import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "./Authorization.ts"
import { ErrorEnvelope } from "./Middleware.ts"
import { RequestBody } from "./RequestBody.ts"
import * as WireErrors from "./WireErrors.ts"
import { noQuery, orNull, required } from "./WireRequest.ts"

const { agentId, contact, metadata, phoneNumber, test, variables } = Call.StartCall.fields

/** The very fields of `StartCall` under their wire names, so that what is wrong is reported in wire names. */
const StartCallFields = Schema.Struct({
  agent_id: required(agentId).annotate({ description: "The agent that makes the call" }),
  phone_number: required(phoneNumber).annotate({
    description: "E.164. Spaces, dashes, dots and brackets are ignored; a leading 00 is read as +"
  }),
  contact: orNull(Schema.optionalKey(Schema.Struct({
    name: orNull(contact.schema.fields.name),
    email: orNull(contact.schema.fields.email),
    external_id: orNull(contact.schema.fields.externalId)
  }))),
  variables: orNull(variables),
  metadata: orNull(metadata),
  test: orNull(test)
})

export const StartCallWire = StartCallFields.pipe(
  Schema.decodeTo(
    Schema.toType(Call.StartCall),
    SchemaTransformation.transform({
      decode: ({ agent_id, contact, phone_number, ...same }): Call.StartCall => ({
        agentId: agent_id,
        phoneNumber: phone_number,
        ...(contact !== undefined && { contact: contactFromWire(contact) }),
        ...same
      }),
      encode: ({ agentId, contact, phoneNumber, ...same }): typeof StartCallFields.Type => ({
        agent_id: agentId,
        phone_number: phoneNumber,
        ...(contact !== undefined && { contact: contactToWire(contact) }),
        ...same
      })
    })
  )
).annotate({ identifier: "StartCall" })

type ContactWire = NonNullable<typeof StartCallFields.Type["contact"]>

const contactFromWire = ({ external_id, ...same }: ContactWire): Call.Contact => ({
  ...same,
  ...(external_id !== undefined && { externalId: external_id })
})

const contactToWire = ({ externalId, ...same }: Call.Contact): ContactWire => ({
  ...same,
  ...(externalId !== undefined && { external_id: externalId })
})

const StartedCall = Wire.CallWire.pipe(HttpApiSchema.status(201))
const ReplayedCall = HttpApiSchema.WithHeaders(Wire.CallWire.pipe(HttpApiSchema.status(200)), {
  "idempotent-replayed": Schema.Literal("true")
})

export const CallsGroup = HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.post("start", "/calls", {
      headers: { "idempotency-key": Schema.optionalKey(Idempotency.IdempotencyKey) },
      query: noQuery,
      payload: StartCallWire,
      success: [StartedCall, ReplayedCall],
      error: WireErrors.declare(
        "invalid_request",
        "agent_not_found",
        "missing_variables",
        "number_not_allowed",
        "call_already_queued",
        "idempotency_key_reused",
        "idempotency_key_in_use",
        "unavailable"
      )
    }).middleware(RequestBody).annotate(RequiredScopes, ["calls:write"]).annotateMerge(OpenApi.annotations({
      summary: "Start a call",
      description:
        "Queues one call. With the same Idempotency-Key, a retry answers the first call instead of calling twice."
    })),
    HttpApiEndpoint.get("get", "/calls/:id", {
      params: { id: Ids.CallId },
      query: noQuery,
      success: Wire.CallWire,
      error: WireErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({ summary: "Get a call" }))
  )
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")

/** Links to recordings carry their own proof, so they need no key and open in a browser. */
export const RecordingsGroup = HttpApiGroup.make("recordings")
  .add(
    HttpApiEndpoint.get("open", "/calls/:id/recording", {
      params: { id: Ids.CallId },
      // A link that lost a part is as good as expired, which the answer to a wrong signature says already.
      query: {
        account: Schema.optionalKey(Schema.String),
        expires: Schema.optionalKey(Schema.String),
        signature: Schema.optionalKey(Schema.String)
      },
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "audio/*" })),
      error: WireErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Listen to a recording",
      description: "The address in a call's recording_url. It needs no key, and works until recording_expires_at."
    }))
  )
  .middleware(ErrorEnvelope)
  .prefix("/v1")
