/** The endpoint that recording links point to. */
import { RecordingLinks } from "@outdial/core"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

/** Handles the endpoint of `RecordingsGroup`. */
export const layer = HttpApiBuilder.group(
  Api,
  "recordings",
  Effect.fnUntraced(function*(handlers) {
    const links = yield* RecordingLinks.RecordingLinks
    return handlers.handleAll({
      open: Effect.fnUntraced(function*({ params, query: { account = "", expires = "", signature = "" } }) {
        const claims = { account, expires, signature }
        const { url } = yield* HttpServerRequest.HttpServerRequest
        // Rejects other spellings of the same URL, which parsers would accept.
        if (url !== RecordingLinks.addressOf(params.id, claims)) {
          return yield* ApiErrors.from(RecordingLinks.noRecording)
        }
        const { bytes, mediaType } = yield* Effect.mapError(links.open(params.id, claims), ApiErrors.from)
        return HttpServerResponse.uint8Array(bytes, { contentType: mediaType })
      })
    })
  })
)
