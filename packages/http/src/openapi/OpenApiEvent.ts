/** The request that a webhook endpoint receives, in the OpenAPI document. */
import { Example } from "@outdial/core"
import type { OpenApi } from "effect/http-api"
import { exampleOf, type Json } from "./OpenApiSchemas.ts"

const event = { $ref: "#/components/schemas/Event" }

/** The request that a webhook endpoint receives. */
export const request = (spec: OpenApi.OpenAPISpec): Json => ({
  operationId: "event",
  tags: ["events"],
  summary: "An event, sent to your webhook endpoint",
  description:
    "Respond with 2xx quickly, and process the event afterwards. Verify the signature with the signing secret, and ignore an event id that you have seen: events may arrive more than once, and in any order.",
  parameters: [
    {
      name: "Service-Signature",
      in: "header",
      required: true,
      description:
        "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `t.body` with the whole secret as the key; several `v1` while a secret is being replaced.",
      schema: { type: "string" },
      example: "t=1772445707,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"
    },
    ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((name, at) => ({
      name,
      in: "header",
      required: true,
      description: "The same, in the format of Standard Webhooks.",
      schema: { type: "string" },
      example: [Example.eventId, "1772445707", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="][at]
    }))
  ],
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: event,
        example: exampleOf(event, spec)
      }
    }
  },
  responses: {
    "2XX": { description: "Received. After any other response the delivery is retried for days, with growing delays." },
    "410": { description: "Disables the endpoint; events are held until it is set again." }
  }
})
