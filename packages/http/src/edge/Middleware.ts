/**
 * What holds for every request: an id, an error envelope whatever goes wrong, no caching, and 405 for the wrong method.
 */
import { Readiness } from "@outdial/core"
import { Cause, Context, Effect, Layer } from "effect"
import { HttpEffect, HttpMethod, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiError, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import * as HttpMetrics from "./HttpMetrics.ts"
import * as RequestHeaders from "./RequestHeaders.ts"
import * as RequestId from "./RequestId.ts"
import * as ApiErrors from "./ApiErrors.ts"
import * as ValidationMessages from "./ValidationMessages.ts"

/** Answers errors in the envelope; the outermost middleware of every group. */
export class ErrorEnvelope extends HttpApiMiddleware.Service<ErrorEnvelope>()("@outdial/http/ErrorEnvelope", {
  error: ApiErrors.declare("invalid_request", "internal_error")
}) {
  static readonly layer = Layer.succeed(ErrorEnvelope, (httpEffect) =>
    Effect.catch(httpEffect, (error: unknown) => {
      if (error instanceof ApiErrors.ApiError) return ApiErrors.respond(error)
      if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.die(error)
      const location = locations[error.kind]
      // What we answer does not fit our own contract: a bug of ours.
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

/** The path of the host below which the interface is: empty, or with a slash before it. */
export const BasePath = Context.Reference<string>("@outdial/http/BasePath", { defaultValue: () => "" })

/** Around everything, unknown paths and faults included. */
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
              // Whoever keeps the connection would send its next request to a server that is gone.
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
 * The router knows only some methods, and would say of a path that it does not know either. In place of any other it is asked for one
 * that no path takes.
 */
const routable = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  HttpMethod.isHttpMethod(request.method) && request.method !== "TRACE"
    ? request
    : Object.create(request, { method: { value: "QUERY" } })

/** A defect is a bug: its cause is for us, the caller gets the request id. */
const logFault = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>) {
  if (!Cause.hasDies(cause)) return
  const { method } = yield* HttpServerRequest.HttpServerRequest
  yield* Effect.logError("A request failed", cause).pipe(Effect.annotateLogs("method", method))
})

/** Errors that the framework itself answers have bodies of their own, or none. */
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
      // The caller has gone; nobody reads the answer.
      return Effect.succeed(response)
    default:
      return ApiErrors.respond(ApiErrors.internalError)
  }
}

/** Answers 405 on the known paths to every method that they do not take; the router alone would say 404. */
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
