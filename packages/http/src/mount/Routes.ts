/**
 * The whole API as one Effect per request, for any server: routes, middleware, defects. Guarantees that every failure has the
 * error envelope. `WebHandler` and `@outdial/node` read requests and write responses.
 */
import type {
  Accounts,
  Agents,
  ApiKeys,
  Batches,
  Calls,
  CarrierRoutes,
  DoNotCallList,
  Engine,
  Events,
  Explanations,
  Readiness,
  RecordingLinks,
  RequestLimits,
  Transcripts,
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
import * as CarrierHandlers from "../carrier/CarrierHandlers.ts"
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

/** The engine's services that the API requires. */
export type EngineServices =
  | Accounts.Accounts
  | Agents.Agents
  | ApiKeys.ApiKeys
  | Batches.Batches
  | Calls.Calls
  | CarrierRoutes.CarrierRoutes
  | DoNotCallList.DoNotCallList
  | Engine.Engine
  | Events.Events
  | Readiness.Readiness
  | RecordingLinks.RecordingLinks
  | RequestLimits.RequestLimits
  | Explanations.Explanations
  | Transcripts.Transcripts
  | Webhooks.Webhooks

/** Where a handler serves the API, and who may use it. */
export interface MountOptions<HostRequest> {
  /** The path below which `/v1` is served, such as `/api`. Requests must still carry it. Default: the root. */
  readonly basePath?: string
  /** Your own authentication, which replaces API keys. Default: API keys. */
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

/** The router reads `;` as the start of a query, and would match a different path. */
const escapeSemicolons = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const [path = "", ...query] = request.url.split("?")
  return path.includes(";") ? request.modify({ url: [path.replaceAll(";", "%3B"), ...query].join("?") }) : request
}

/** Handles the request in its context. */
export type HttpEffect = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Serves the API so that spans contain no phone numbers and no credentials. Disables the server's own span, which would contain
 * the original URL, and opens one with the redacted URL.
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

/** Opens a span with the redacted URL; the API gets the original request. */
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

/** Converts failures that are responses, such as 404, so that the span does not record them as failures. */
const withErrorResponse = (httpEffect: HttpEffect): HttpEffect =>
  Effect.catchCause(httpEffect, (cause) =>
    Effect.flatMap(
      HttpServerError.causeResponse(cause),
      ([response, rest]) => rest.reasons.length === 0 ? Effect.succeed(response) : Effect.failCause(rest)
    ))

/** Servers limit the request line to 16 KiB, so ids of any length are looked up. */
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
    CarrierHandlers.layer,
    Docs.layer,
    methodNotAllowed(Api),
    edge
  ).pipe(
    Layer.provide(handlers),
    Layer.provide([authorization, ErrorEnvelope.layer, NoBody.layer, RequestBody.layer, Scopes.layer]),
    Layer.provide(HttpServer.layerServices)
  )

/** Routes as one Effect, with our configuration of the router. */
export const toHttpEffect = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.toHttpEffect(routes).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routerConfig),
    Effect.map(Effect.updateService(HttpServerRequest.HttpServerRequest, escapeSemicolons))
  )

/** The API with another authorization than keys. */
export const makeWith = <E, R>(authorization: Layer.Layer<Authorization, E, R>) => toHttpEffect(routes(authorization))

/** The API over the engine of the context. */
export const make: Effect.Effect<HttpEffect, never, EngineServices | Scope.Scope> = makeWith(Authorization.layer)

/** Empty, or with a slash at the beginning only: "api/" means the same path as "/api". */
const baseOf = (basePath: string | undefined): string =>
  (basePath ?? "").split("/").filter((part) => part !== "").map((part) => `/${part}`).join("")

/** Whether the URL is one of the callbacks and sockets of carriers. */
export const isForCarrier = (url: string | undefined, basePath: string | undefined): boolean =>
  url?.startsWith(`${baseOf(basePath)}/carriers/`) === true

/** The API below its base path; all other paths are 404. `HostRequest` must be the request type of the platform. */
export const makeAt = <HostRequest>(options: MountOptions<HostRequest>): typeof make => {
  const base = baseOf(options.basePath)
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

/** Throws for invalid options. */
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
    // The platform's request has the type that the host expects.
    authenticate: authenticate as Authenticate<object>,
    allowedOrigins: CrossOrigin.originsUnsafe(allowedOrigins),
    requestsPerMinute
  })
}

/** Far more than one process can handle in a minute. */
const maxRequests = 1_000_000

const isRequestLimit = (limit: number) => Number.isInteger(limit) && limit >= 1 && limit <= maxRequests
