/** The contract of the webhook endpoint (spec §4.8–4.12). */
import { FieldDocs, WebhookEndpoint, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "../access/Authorization.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { body, noQuery } from "../edge/RequestFields.ts"

const SetWebhookWire = body("SetWebhook", WebhookEndpoint.SetWebhook)
const RotateSecretWire = body("RotateSecret", WebhookEndpoint.RotateSecret)

const DeletedWebhook = Schema.Struct({
  object: WebhookEndpoint.Webhook.fields.object,
  deleted: FieldDocs.field(Schema.Literal(true), "Always `true`.", true)
}).annotate({ identifier: "DeletedWebhook" })

const NewWebhook = Wire.WebhookWire.check(
  Schema.makeFilter(({ secret }) => secret !== undefined)
).pipe(HttpApiSchema.status(201))

export const WebhookGroup = HttpApiGroup.make("webhook")
  .add(
    HttpApiEndpoint.put("set", "/webhook", {
      query: noQuery,
      payload: SetWebhookWire,
      // The first matching schema is used: 201 exactly if there is a new secret.
      success: [NewWebhook, Wire.WebhookWire],
      error: ApiErrors.declare("webhook_url_not_allowed", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Set the webhook endpoint",
      description:
        "Replaces its settings. If it is enabled again, held events are sent. Only the response that creates the endpoint has the secret."
    })),
    HttpApiEndpoint.get("get", "/webhook", {
      query: noQuery,
      success: Wire.WebhookWire,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get the webhook endpoint" })),
    HttpApiEndpoint.delete("remove", "/webhook", {
      query: noQuery,
      success: DeletedWebhook,
      error: ApiErrors.declare("unavailable")
    }).middleware(NoBody).annotateMerge(OpenApi.annotations({
      summary: "Remove the webhook endpoint",
      description: "Stops sending events and drops pending deliveries; calls stay readable. Safe to repeat."
    })),
    HttpApiEndpoint.post("rotateSecret", "/webhook/rotate-secret", {
      query: noQuery,
      // A missing body is read as null, and the default applies.
      payload: [RotateSecretWire, Schema.Null],
      success: Wire.WebhookWire,
      error: ApiErrors.declare("not_found", "rotation_limit_reached", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Issue a new signing secret",
      description: "Only this response has the new secret. During the grace period both secrets sign."
    })),
    HttpApiEndpoint.post("test", "/webhook/test", {
      query: noQuery,
      success: Wire.WebhookTestWire,
      error: ApiErrors.declare("not_found", "webhook_disabled", "rate_limited", "unavailable")
    }).middleware(NoBody).annotateMerge(OpenApi.annotations({
      summary: "Send a test event",
      description: "Sends one signed `webhook.test` at once and returns the result; at most 10 per minute."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "Where events are sent, and the secret that signs them." }))
  .annotateEndpoints(RequiredScopes, ["webhooks:manage"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
