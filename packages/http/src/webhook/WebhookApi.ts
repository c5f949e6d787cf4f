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
      // The first that fits is answered: 201 exactly when there is a new secret.
      success: [NewWebhook, Wire.WebhookWire],
      error: ApiErrors.declare("webhook_url_not_allowed", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Set the webhook endpoint",
      description:
        "Replaces its settings. Enabled again, it is sent what was held meanwhile. The secret is in the answer only when the endpoint is first set."
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
      description: "Stops sending events, and drops those on their way; calls stay readable. Safe to repeat."
    })),
    HttpApiEndpoint.post("rotateSecret", "/webhook/rotate-secret", {
      query: noQuery,
      // Without a body, which is read as null, the default holds.
      payload: [RotateSecretWire, Schema.Null],
      success: Wire.WebhookWire,
      error: ApiErrors.declare("not_found", "rotation_limit_reached", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Issue a new signing secret",
      description: "The new secret is in the answer and never again. During the grace period both sign."
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
