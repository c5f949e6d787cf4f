/** Applies to every request: a request id, the error envelope for every failure, no caching, and 405 for the wrong method. */
import { Readiness } from "@outdial/core"
import { Cause, Context, Effect, Layer } from "effect"
import { HttpEffect, HttpMethod, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiError, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import * as HttpMetrics from "./HttpMetrics.ts"
import * as RequestHeaders from "./RequestHeaders.ts"
import * as RequestId from "./RequestId.ts"
import * as ApiErrors from "./ApiErrors.ts"
import * as ValidationMessages from "./ValidationMessages.ts"

/** Converts errors to the envelope; the outermost middleware of every group. */
export class ErrorEnvelope extends HttpApiMiddleware.Service<ErrorEnvelope>()("@outdial/http/ErrorEnvelope", {
  error: ApiErrors.declare("invalid_request", "internal_error")
}) {
  static readonly layer = Layer.succeed(ErrorEnvelope, (httpEffect) =>
    Effect.catch(httpEffect, (error: unknown) => {
      if (error instanceof ApiErrors.ApiError) return ApiErrors.respond(error)
      if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.die(error)
      const location = locations[error.kind]
      // A response that breaks the contract is a bug.
      if (location === undefined) return Effect.die(error)
      return ApiErrors.respond(
        ApiErrors.invalidRequest(location, ValidationMessages.problems(error.cause.issue, location))
      )
    }))
}

const locations = {
  Params: "path",
  Query: "query",
  Headers: "header",
  Payload: "body",
  Body: undefined,
  ResponseHeaders: undefined
} as const satisfies Record<HttpApiError.HttpApiSchemaError["kind"], unknown>

/** The base path of the API: empty, or with a leading slash. */
export const BasePath = Context.Reference<string>("@outdial/http/BasePath", { defaultValue: () => "" })

/** Wraps everything, including unknown paths and defects. */
export const edge = HttpRouter.middleware(
  Effect.gen(function*() {
    const { isDraining } = yield* Readiness.Readiness
    const base = yield* BasePath
    return (httpEffect) =>
      Effect.gen(function*() {
        const requestId = yield* RequestId.make
        const measured = yield* HttpMetrics.begin
        yield* HttpEffect.appendPreResponseHandler(({ method }, response) =>
          Effect.gen(function*() {
            const answer = yield* Effect.provideService(ensureEnvelope(response, base), RequestId.RequestId, requestId)
            yield* measured.answered(method, answer.status)
            return HttpServerResponse.setHeaders(answer, {
              "x-request-id": requestId,
              "cache-control": "no-store",
              "x-content-type-options": "nosniff",
              // Otherwise a client would send its next request to a server that has stopped.
              ...((yield* isDraining) && { connection: "close" })
            })
          })
        )
        const request = yield* HttpServerRequest.HttpServerRequest
        const wrong = RequestHeaders.problem(request)
        const answered = wrong === undefined ? measured.routed(httpEffect) : ApiErrors.respond(wrong)
        return yield* Effect.provideService(answered, HttpServerRequest.HttpServerRequest, routable(request)).pipe(
          Effect.tapCause(logFault),
          Effect.annotateLogs("request_id", requestId),
          Effect.provideService(RequestId.RequestId, requestId)
        )
      })
  }),
  { global: true }
)

/**
 * The router answers 404 to unknown methods. They are replaced by a method that no path supports, so that the response is 405.
 */
const routable = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  HttpMethod.isHttpMethod(request.method) && request.method !== "TRACE"
    ? request
    : Object.create(request, { method: { value: "QUERY" } })

/** Logs the cause of a defect; the caller gets the request id. */
const logFault = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>) {
  if (!Cause.hasDies(cause)) return
  const { method } = yield* HttpServerRequest.HttpServerRequest
  yield* Effect.logError("A request failed", cause).pipe(Effect.annotateLogs("method", method))
})

/** Replaces the bodies of the framework's error responses. */
const ensureEnvelope = (response: HttpServerResponse.HttpServerResponse, base: string) => {
  const isOurs = response.headers["content-type"]?.startsWith("application/json") === true
  if (response.status < 400 || isOurs) return Effect.succeed(response)
  switch (response.status) {
    case 404:
      return ApiErrors.respond(ApiErrors.routeNotFound(base))
    case 415:
      return ApiErrors.respond(ApiErrors.unsupportedMediaType)
    case 503:
      return ApiErrors.respond(ApiErrors.unavailable)
    case 499:
      // The client has disconnected.
      return Effect.succeed(response)
    default:
      return ApiErrors.respond(ApiErrors.internalError)
  }
}

/** Responds with 405 to unsupported methods of known paths; the router alone would respond with 404. */
export const methodNotAllowed = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    for (const [path, methods] of methodsByPath(api)) {
      const allowed = methods.has("GET") ? [...methods, "HEAD"] : [...methods]
      const answer = ApiErrors.respond(ApiErrors.methodNotAllowed(allowed))
      for (const method of HttpMethod.all) {
        if (allowed.includes(method) || method === "HEAD" || method === "TRACE") continue
        yield* router.add(method, path, answer)
      }
    }
  }))

const methodsByPath = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const paths = new Map<HttpRouter.PathInput, Set<string>>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      // Paths of endpoints begin with a slash.
      const path = endpoint.path as HttpRouter.PathInput
      paths.set(path, (paths.get(path) ?? new Set()).add(endpoint.method))
    }
  })
  return paths
}
