/** The contract of batches (spec §4.5, §4.6). */
import { Example, FieldDocs, Ids, Limits, Wire } from "@outdial/core"
import type { Batches } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { BatchRowWire } from "./StartCallBody.ts"
import { idempotencyHeaders, replayHeaders } from "./Idempotency.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { MaxBodyBytes, NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { body, noQuery, queryOf } from "../edge/RequestFields.ts"
import * as ValidationMessages from "../edge/ValidationMessages.ts"

const { apart, field } = FieldDocs

export const StartBatchWire = body(
  "StartBatch",
  Schema.Struct({
    agentId: field(
      Schema.optionalKey(Ids.AgentId),
      "The agent of rows without `agent_id`. Required unless every row has its own.",
      Example.agentId
    ),
    // Rows are decoded one by one, so that an invalid row does not reject the others. `Unknown` would reject numbers that JSON
    // text can hold and JSON values cannot, such as 1e400.
    calls: field(Schema.Array(Schema.Any), "1 to 1,000 rows. Each is checked separately.", [
      { phone_number: Example.phoneNumber, contact: Example.contact, variables: Example.variables }
    ]),
    test: apart(Schema.optionalKey(Schema.Boolean), "Simulates all its calls.", true)
  })
)

/** Reads rows in wire format. */
export const rowForm: Batches.RowForm = {
  read: ValidationMessages.reading(BatchRowWire),
  inWireNames: true,
  messageOf: ApiErrors.messageOf,
  sentNumber: (row) => typeof row === "object" && row !== null && "phone_number" in row ? row.phone_number : undefined
}

const StartedBatch = Wire.BatchWire.pipe(HttpApiSchema.status(201))
const ReplayedBatch = HttpApiSchema.WithHeaders(Wire.BatchWire.pipe(HttpApiSchema.status(200)), replayHeaders)

const id = field(Ids.BatchId, "The id.", Example.batchId)

export const BatchesGroup = HttpApiGroup.make("batches")
  .add(
    HttpApiEndpoint.post("start", "/batches", {
      headers: idempotencyHeaders,
      query: noQuery,
      payload: StartBatchWire,
      success: [StartedBatch, ReplayedBatch],
      error: ApiErrors.declare(
        "invalid_request",
        "batch_too_large",
        "idempotency_key_reused",
        "idempotency_key_in_use",
        "unavailable"
      )
    }).middleware(RequestBody).annotate(MaxBodyBytes, Limits.batchBodyBytes).annotate(RequiredScopes, ["calls:write"])
      .annotateMerge(OpenApi.annotations({
        summary: "Start a batch",
        description: "Queues up to 1,000 calls. Each row is checked separately; invalid rows are in `rejected`."
      })),
    HttpApiEndpoint.get("list", "/batches", {
      query: queryOf(pageQuery),
      success: listOf(Wire.BatchWire),
      error: ApiErrors.declare("unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "List batches",
      description: "Your batches, newest first, without their rows."
    })),
    HttpApiEndpoint.get("get", "/batches/:id", {
      params: { id },
      query: noQuery,
      success: Wire.BatchWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "Get a batch",
      description: "The batch and its progress. Poll it every 30 to 60 seconds, rather than each call."
    })),
    HttpApiEndpoint.post("cancel", "/batches/:id/cancel", {
      params: { id },
      query: noQuery,
      success: Wire.BatchWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).middleware(NoBody).annotate(RequiredScopes, ["calls:write"]).annotateMerge(OpenApi.annotations({
      summary: "Cancel a batch",
      description: "Cancels its calls that are still `queued`; the others continue. Safe to repeat."
    }))
  )
  .annotateMerge(OpenApi.annotations({
    description: "Up to 1,000 calls in one request. Batch calls are dialed behind single calls."
  }))
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
