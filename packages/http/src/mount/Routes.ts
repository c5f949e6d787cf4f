/**
 * The whole interface as one Effect per request, for any server: routes, middleware, faults. Guarantees an answer with an
 * envelope whatever goes wrong; leaves reading and writing the wire to `WebHandler` and to `@outdial/node`.
 */
import type {
  Accounts,
  Agents,
  ApiKeys,
  Batches,
  Calls,
  DoNotCallList,
  Engine,
  Events,
  Explanations,
  Readiness,
  RecordingLinks,
  RequestLimits,
  Webhooks
} from "@outdial/core"
import { CallTrace, OutdialError, refuseUnknown } from "@outdial/core"
import { Effect, Layer, type Scope } from "effect"
import {
  HttpMiddleware,
  HttpRouter,
  HttpServer,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse,
  UrlParams
} from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import * as AgentsHandlers from "../account/AgentsHandlers.ts"
import { Authorization, Scopes } from "../access/Authorization.ts"
import * as CrossOrigin from "../access/CrossOrigin.ts"
import * as BatchesHandlers from "../call/BatchesHandlers.ts"
import * as CallsHandlers from "../call/CallsHandlers.ts"
import * as DoNotCallHandlers from "../do-not-call/DoNotCallHandlers.ts"
import * as RedactedUrl from "../edge/RedactedUrl.ts"
import * as EventsHandlers from "../event/EventsHandlers.ts"
import * as SystemHandlers from "../observe/SystemHandlers.ts"
import * as Docs from "../openapi/Docs.ts"
import type { Authenticate } from "../access/HostAccess.ts"
import { BasePath, edge, ErrorEnvelope, methodNotAllowed } from "../edge/Middleware.ts"
import { NoBody, RequestBody } from "../edge/RequestBody.ts"
import * as RecordingsHandlers from "../recording/RecordingsHandlers.ts"
import * as WebhookHandlers from "../webhook/WebhookHandlers.ts"

/** The engine's services that the interface needs; they are taken as they are, never built here. */
export type EngineServices =
  | Accounts.Accounts
  | Agents.Agents
  | ApiKeys.ApiKeys
  | Batches.Batches
  | Calls.Calls
  | DoNotCallList.DoNotCallList
  | Engine.Engine
  | Events.Events
  | Readiness.Readiness
  | RecordingLinks.RecordingLinks
  | RequestLimits.RequestLimits
  | Explanations.Explanations
  | Webhooks.Webhooks

/** Where a handler serves the interface, and who may use it. */
export interface MountOptions<HostRequest> {
  /** The path below which `/v1` is served, such as `/api`. Requests must still carry it. Default: the root. */
  readonly basePath?: string
  /** Your own authentication, in place of API keys; keys are refused then. Default: API keys. */
  readonly authenticate?: Authenticate<HostRequest>
  /**
   * With `authenticate`: other origins, such as `https://app.example.com`, whose pages may make requests that change something. Pages of
   * your own origin always may. Default: none.
   */
  readonly allowedOrigins?: ReadonlyArray<string>
  /**
   * With `authenticate`: how many requests each principal may make in 60 seconds. When given, all requests of an account without a
   * principal share one such limit; otherwise they have none. Default: 300.
   */
  readonly requestsPerMinute?: number
}

/** The router takes `;` for the start of a query, and would find another path than the one that was asked for. */
const escapeSemicolons = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const [path = "", ...query] = request.url.split("?")
  return path.includes(";") ? request.modify({ url: [path.replaceAll(";", "%3B"), ...query].join("?") }) : request
}

/** Answers the request in its context. */
export type HttpEffect = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Has the interface served by a server that writes spans, so that they hold no telephone number and nothing that lets in. The
 * server's own span would hold the address as it was sent; in its place the interface opens one with a discreet address.
 */
export const serveWithRedactedUrl = <A, E, R>(
  httpEffect: HttpEffect,
  serve: (httpEffect: HttpEffect) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const disabledByHost = yield* HttpMiddleware.TracerDisabledWhen
    return yield* serve(traced(httpEffect, disabledByHost)).pipe(
      Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true),
      Effect.provideService(UrlParams.CurrentRedactedNames, RedactedUrl.hiddenParameters)
    )
  })

/** In a span that knows only the discreet address; the interface itself is given the request as it came. */
const traced = (
  httpEffect: HttpEffect,
  disabledWhen: (request: HttpServerRequest.HttpServerRequest) => boolean
): HttpEffect =>
  CallTrace.whereTraced(() =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (disabledWhen(request)) return httpEffect
      return HttpMiddleware.tracer(
        Effect.provideService(withErrorResponse(httpEffect), HttpServerRequest.HttpServerRequest, request)
      ).pipe(
        Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => false),
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          request.modify({ url: RedactedUrl.redacted(request.url) })
        )
      )
    }), () => httpEffect)

/** With the answer in place of a failure that is one, such as of a path that there is not, which a span would hold as a fault. */
const withErrorResponse = (httpEffect: HttpEffect): HttpEffect =>
  Effect.catchCause(httpEffect, (cause) =>
    Effect.flatMap(
      HttpServerError.causeResponse(cause),
      ([response, rest]) => rest.reasons.length === 0 ? Effect.succeed(response) : Effect.failCause(rest)
    ))

/** Longer ids are looked up and not found, like any other; servers limit the whole request line to 16 KiB. */
const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false, maxParamLength: 16_384 }

const handlers = Layer.mergeAll(
  AgentsHandlers.layer,
  BatchesHandlers.layer,
  CallsHandlers.layer,
  DoNotCallHandlers.layer,
  EventsHandlers.layer,
  RecordingsHandlers.layer,
  SystemHandlers.layer,
  WebhookHandlers.layer
)

const routes = <E, R>(authorization: Layer.Layer<Authorization, E, R>) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api),
    Docs.layer,
    methodNotAllowed(Api),
    edge
  ).pipe(
    Layer.provide(handlers),
    Layer.provide([authorization, ErrorEnvelope.layer, NoBody.layer, RequestBody.layer, Scopes.layer]),
    Layer.provide(HttpServer.layerServices)
  )

const makeWith = <E>(authorization: Layer.Layer<Authorization, E, EngineServices>) =>
  HttpRouter.toHttpEffect(routes(authorization)).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routerConfig),
    Effect.map(Effect.updateService(HttpServerRequest.HttpServerRequest, escapeSemicolons))
  )

/** The interface over the engine of the surrounding context. */
export const make: Effect.Effect<HttpEffect, never, EngineServices | Scope.Scope> = makeWith(Authorization.layer)

/**
 * The interface in its place; elsewhere there is nothing. `HostRequest` must be what the platform that
 * serves the interface has as its request.
 */
export const makeAt = <HostRequest>(options: MountOptions<HostRequest>): typeof make => {
  const { basePath = "" } = options
  // "api/" means the same place.
  const path = basePath.split("/").filter((part) => part !== "").join("/")
  const base = path === "" ? "" : `/${path}`
  return Effect.map(
    Effect.flatMap(Effect.sync(() => authorizationOfUnsafe(options)), makeWith).pipe(
      Effect.provideService(BasePath, base)
    ),
    (api) =>
      Effect.updateService(
        api,
        HttpServerRequest.HttpServerRequest,
        (request) => request.modify({ url: request.url.startsWith(`${base}/`) ? request.url.slice(base.length) : "/" })
      )
  )
}

/** Throws for options that cannot be meant. */
const authorizationOfUnsafe = <HostRequest>(
  options: MountOptions<HostRequest>
): Layer.Layer<Authorization, never, EngineServices> => {
  refuseUnknown(options, { basePath: true, authenticate: true, allowedOrigins: true, requestsPerMinute: true })
  const { allowedOrigins = [], authenticate, requestsPerMinute } = options
  const refused = (message: string) => new OutdialError("invalid_request", message, {}, undefined)
  if (authenticate === undefined) {
    if (options.allowedOrigins !== undefined) throw refused("allowedOrigins needs authenticate")
    if (requestsPerMinute !== undefined) throw refused("requestsPerMinute needs authenticate")
    return Authorization.layer
  }
  if (requestsPerMinute !== undefined && !isRequestLimit(requestsPerMinute)) {
    throw refused(`requestsPerMinute must be a whole number from 1 to ${maxRequests}`)
  }
  return Authorization.layerHost({
    // What the platform has as its request is what the host takes.
    authenticate: authenticate as Authenticate<object>,
    allowedOrigins: CrossOrigin.originsUnsafe(allowedOrigins),
    requestsPerMinute
  })
}

/** Far more than one process answers in a minute. */
const maxRequests = 1_000_000

const isRequestLimit = (limit: number) => Number.isInteger(limit) && limit >= 1 && limit <= maxRequests
