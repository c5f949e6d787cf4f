/** The contract of the webhook endpoint (spec §4.8–4.10). */
import { WebhookEndpoint, Wire } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScopes, Scopes } from "./Authorization.ts"
import { ErrorEnvelope } from "./Middleware.ts"
import { RequestBody } from "./RequestBody.ts"
import * as WireErrors from "./WireErrors.ts"
import { noQuery, orNull, required } from "./WireRequest.ts"

/** All its names are one word: camelCase and snake_case agree. */
const SetWebhookWire = Schema.Struct({
  url: required(WebhookEndpoint.SetWebhook.fields.url),
  events: orNull(WebhookEndpoint.SetWebhook.fields.events),
  enabled: orNull(WebhookEndpoint.SetWebhook.fields.enabled)
}).annotate({ identifier: "SetWebhook" })

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
      error: WireErrors.declare("webhook_url_not_allowed", "unavailable")
    }).middleware(RequestBody).annotateMerge(OpenApi.annotations({
      summary: "Set the webhook endpoint",
      description: "Replaces its settings. The secret is in the answer only when the endpoint is first set."
    })),
    HttpApiEndpoint.get("get", "/webhook", {
      query: noQuery,
      success: Wire.WebhookWire,
      error: WireErrors.declare("not_found", "unavailable")
    }).annotateMerge(OpenApi.annotations({ summary: "Get the webhook endpoint" })),
    HttpApiEndpoint.delete("remove", "/webhook", {
      query: noQuery,
      success: Schema.Struct({ object: Schema.Literal("webhook"), deleted: Schema.Literal(true) }),
      error: WireErrors.declare("unavailable")
    }).annotateMerge(OpenApi.annotations({
      summary: "Remove the webhook endpoint",
      description: "Stops sending events; calls stay readable. Safe to repeat."
    }))
  )
  .annotateEndpoints(RequiredScopes, ["webhooks:manage"])
  .middleware(Scopes)
  .middleware(Authorization)
  .middleware(ErrorEnvelope)
  .prefix("/v1")
