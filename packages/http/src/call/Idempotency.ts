/** The headers of idempotent requests and of the responses to repeated ones. */
import { FieldDocs, Idempotency } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Only on requests that create something. */
export const idempotencyHeaders = {
  "idempotency-key": FieldDocs.field(
    Schema.optionalKey(Idempotency.IdempotencyKey),
    "Any unique text of at most 255 printable ASCII characters. A retry with the same key and body returns what the first request created and creates nothing.",
    "order-4711-reminder-1"
  )
}

/** Only on the response to a repeated request. */
export const replayHeaders = { "idempotent-replayed": Schema.Literal("true") }

/** The idempotency key as an option of the engine. */
export const idempotency = ({ "idempotency-key": idempotencyKey }: { readonly "idempotency-key"?: string }) =>
  idempotencyKey === undefined ? {} : { idempotencyKey }

/** The body with the header of repeated requests. */
export const replayed = <A>(body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { "idempotent-replayed": "true" as const } })
