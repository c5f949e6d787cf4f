/** The contract of recordings (spec §4.4). */
import { Example, FieldDocs, Ids } from "@outdial/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { ErrorEnvelope } from "../edge/Middleware.ts"
import { queryOf } from "../edge/RequestFields.ts"

const { field } = FieldDocs

const id = field(Ids.CallId, "The id.", Example.callId)
const partOfLink = (example: string) => field(Schema.optionalKey(Schema.String), "A part of the link.", example)

/** Links to recordings are signed, so they need no key and open in a browser. */
export const RecordingsGroup = HttpApiGroup.make("recordings")
  .add(
    HttpApiEndpoint.get("open", "/calls/:id/recording", {
      params: { id },
      // A link without one of its parts gets the same response as one with a wrong signature.
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
