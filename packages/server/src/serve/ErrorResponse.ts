/** An error response with the error envelope and a request id, for paths outside the API. */
import { ApiErrors, RequestId } from "@outdial/http"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

export const respond = Effect.fnUntraced(function*(error: ApiErrors.ApiError) {
  const requestId = yield* RequestId.make
  return HttpServerResponse.setHeaders(
    yield* Effect.provideService(ApiErrors.respond(error), RequestId.RequestId, requestId),
    { "cache-control": "no-store", "x-request-id": requestId }
  )
})
