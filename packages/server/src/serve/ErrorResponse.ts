/** An error in the one form that all have, with an id as every answer has, where no route of the interface answers. */
import { RequestId, WireErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

export const respond = Effect.fnUntraced(function*(error: WireErrors.ApiError) {
  const requestId = yield* RequestId.make
  return HttpServerResponse.setHeaders(
    yield* Effect.provideService(WireErrors.respond(error), RequestId.RequestId, requestId),
    { "cache-control": "no-store", "x-request-id": requestId }
  )
})
