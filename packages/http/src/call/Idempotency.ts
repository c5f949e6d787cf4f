/** The headers of requests that are made once for each key, and of the answers to their repetitions. */
import { FieldDocs, Idempotency } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Only on requests that make something: the same key makes it once. */
export const idempotencyHeaders = {
  "idempotency-key": FieldDocs.field(
    Schema.optionalKey(Idempotency.IdempotencyKey),
    "Any unique text of at most 255 printable ASCII characters. A retry with the same key and body answers what the first request made instead of making it twice.",
    "order-4711-reminder-1"
  )
}

/** Only on the answer to a request that came again. */
export const replayHeaders = { "idempotent-replayed": Schema.Literal("true") }

/** The key of the request as the option of the engine; no option without a key. */
export const idempotency = ({ "idempotency-key": idempotencyKey }: { readonly "idempotency-key"?: string }) =>
  idempotencyKey === undefined ? {} : { idempotencyKey }

/** The body as the answer to a repeated request. */
export const replayed = <A>(body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { "idempotent-replayed": "true" as const } })
