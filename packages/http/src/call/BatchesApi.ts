/** The contract of batches (spec §4.5, §4.6). */
import { Ids, Limits, Wire } from "@outdial/core"
import type { Batches } from "@outdial/core"
import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { BatchRowWire } from "./StartCallBody.ts"
import { idempotencyHeaders, replayHeaders } from "./CallsApi.ts"
import { listOf, pageQuery } from "../edge/Lists.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { MaxBodyBytes, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { made, noQuery, orNull, queryOf } from "../edge/RequestFields.ts"
import * as Words from "../edge/ValidationMessages.ts"

const StartBatchFields = Schema.Struct({
  agent_id: orNull(Schema.optionalKey(Ids.AgentId)).annotate({ description: "The agent of rows that name none" }),
  // What is wrong with one row is no reason to refuse the others, so rows are read one by one. `Unknown` would refuse
  // the numbers that JSON text can hold and JSON values cannot, such as 1e400.
  calls: Schema.Array(Schema.Any).annotate({ description: "1 to 1,000 rows, as `BatchRow`" }),
  test: orNull(Schema.optionalKey(Schema.Boolean))
})

const StartBatch = Schema.Struct({
  agentId: Schema.optionalKey(Ids.AgentId),
  calls: Schema.Array(Schema.Any),
  test: Schema.optionalKey(Schema.Boolean)
})

export const StartBatchWire = StartBatchFields.pipe(
  Schema.decodeTo(
    made(StartBatch),
    SchemaTransformation.transform({
      decode: ({ agent_id, ...same }): typeof StartBatch.Type => ({
        ...(agent_id !== undefined && { agentId: agent_id }),
        ...same
      }),
      encode: ({ agentId, ...same }): typeof StartBatchFields.Type => ({
        ...(agentId !== undefined && { agent_id: agentId }),
        ...same
      })
    })
  )
).annotate({ identifier: "StartBatch" })

/** Rows as they are written on the wire. */
export const rowForm: Batches.RowForm = {
  read: Words.reading(BatchRowWire),
  inWireNames: true,
  sentNumber: (row) => typeof row === "object" && row !== null && "phone_number" in row ? row.phone_number : undefined
}

const StartedBatch = Wire.BatchWire.pipe(HttpApiSchema.status(201))
const ReplayedBatch = HttpApiSchema.WithHeaders(Wire.BatchWire.pipe(HttpApiSchema.status(200)), replayHeaders)

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
        description:
          "Queues up to 1,000 calls. Each row is checked by itself; those that are refused are in `rejected`."
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
      params: { id: Ids.BatchId },
      query: noQuery,
      success: Wire.BatchWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, ["calls:read"]).annotateMerge(OpenApi.annotations({
      summary: "Get a batch",
      description: "The batch and how its calls stand. Ask every 30 to 60 seconds, and not for each call."
    })),
    HttpApiEndpoint.post("cancel", "/batches/:id/cancel", {
      params: { id: Ids.BatchId },
      query: noQuery,
      success: Wire.BatchWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(RequiredScopes, ["calls:write"]).annotateMerge(OpenApi.annotations({
      summary: "Cancel a batch",
      description: "Cancels its calls that are still `queued`; the others go on. Safe to repeat."
    }))
  )
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
