/**
 * The console as one Effect per request, for any server: the page, its own API, and the `/v1` API of each account under the user's
 * session. `ConsoleHandler` makes handlers of it.
 */
import { type Engine, OutdialError, refuseUnknown } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestId, Routes } from "@outdial/http"
import { Effect, Layer, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpEffect, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AccessApi } from "../access/AccessApi.ts"
import * as AccessHandlers from "../access/AccessHandlers.ts"
import * as ConsoleUsers from "../access/ConsoleUsers.ts"
import type { AuthenticateUser } from "../access/HostUsers.ts"
import { Roles } from "../access/Roles.ts"
import type { Site } from "../access/SessionCookie.ts"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import * as ConsoleHandlers from "../api/ConsoleHandlers.ts"
import { apiHeaders } from "../pages/SecurityHeaders.ts"
import * as StaticFiles from "../pages/StaticFiles.ts"
import * as V1 from "./V1.ts"

/** Where a handler serves the console, and who may use it. */
export interface ConsoleOptions<HostRequest> {
  /** The path below which the console is served. Requests must still carry it. Default: `/console`. */
  readonly basePath?: string
  /**
   * The address at which users reach the root of this server, such as `https://calls.example.com`. With https, the session's cookie is sent
   * over https only. A path that a proxy cuts off belongs to it.
   */
  readonly publicUrl?: string
  /** Your own users, in place of links. Default: links. */
  readonly authenticate?: AuthenticateUser<HostRequest>
}

/** With a slash at the beginning only: "console/" means the same path as "/console". */
const baseOf = (basePath: string): string =>
  basePath.split("/").filter((part) => part !== "").map((part) => `/${part}`).join("")

/** The groups of the console's own API. */
const own = (site: Site) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(AccessApi),
    HttpApiBuilder.layer(ConsoleApi),
    Middleware.methodNotAllowed(AccessApi),
    Middleware.methodNotAllowed(ConsoleApi),
    Middleware.edge
  ).pipe(
    Layer.provide([AccessHandlers.layer(site), ConsoleHandlers.layer]),
    Layer.provide([
      ConsoleUsers.layerAuthorization,
      Middleware.ErrorEnvelope.layer,
      RequestBody.NoBody.layer,
      RequestBody.RequestBody.layer,
      Roles.layer
    ]),
    Layer.provide(HttpServer.layerServices)
  )

/** The path of a request to `/v1` of an account: the account, and the rest from `/v1` on. */
const v1Path = /^\/accounts\/([^/?]+)(\/v1\/.*)$/su

/** The console over the engine of the context. `HostRequest` must be the request type of the platform. */
export const make = <HostRequest>(
  options: ConsoleOptions<HostRequest>
): Effect.Effect<Routes.HttpEffect, StaticFiles.PagesUnreadable, Engine.Services | Scope.Scope> =>
  Effect.gen(function*() {
    const { basePath, site } = yield* Effect.sync(() => placeUnsafe(options))
    // The platform's request has the type that the host expects.
    const authenticate = options.authenticate as AuthenticateUser<object> | undefined
    // Built once, as all APIs share what they look up.
    const users = Layer.succeedContext(yield* Layer.build(ConsoleUsers.ConsoleUsers.layer(authenticate)))
    const api = yield* Routes.toHttpEffect(Layer.provide(own(site), users))
    const v1 = yield* Routes.makeWith(Layer.provide(V1.layerAuthorization, users))
    const admitToRecording = yield* Effect.provide(V1.admitToRecording, users)
    const files = yield* StaticFiles.load()

    const toApi = (url: string, request: HttpServerRequest.HttpServerRequest) => {
      const [, account = "", rest = ""] = v1Path.exec(url) ?? []
      const [httpEffect, at] = rest === "" ? [api, url] as const : [v1, rest] as const
      const admitted: Routes.HttpEffect = isRecording.test(rest)
        ? Effect.andThen(admitToRecording, httpEffect)
        : httpEffect
      return Effect.andThen(addApiHeaders, admitted).pipe(
        Effect.catchIf((error) => error instanceof ApiErrors.ApiError, respond),
        Effect.provideService(V1.RequestedAccount, account),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url: at }))
      )
    }

    const answer = (request: HttpServerRequest.HttpServerRequest): Routes.HttpEffect => {
      const { method, url } = request
      const path = url.split("?")[0] ?? ""
      if (path === basePath) return Effect.succeed(HttpServerResponse.redirect(`${site.path}/`, { status: 308 }))
      if (!path.startsWith(`${basePath}/`)) return respond(ApiErrors.routeNotFound())
      if (path.startsWith(`${basePath}/api/`)) return toApi(url.slice(`${basePath}/api`.length), request)
      if (method !== "GET" && method !== "HEAD") return respond(ApiErrors.methodNotAllowed(["GET", "HEAD"]))
      return StaticFiles.respond(files, path.slice(basePath.length + 1), site.path).pipe(
        Effect.provide(SecureRandom.layerWebCrypto)
      )
    }
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, answer)
  })

const addApiHeaders = HttpEffect.appendPreResponseHandler((_request, response) =>
  Effect.succeed(HttpServerResponse.setHeaders(response, apiHeaders))
)

const isRecording = /^\/v1\/calls\/[^/]*\/recording(\?|$)/u

/** Where requests find the console, and where browsers do. Throws for invalid options. */
const placeUnsafe = <HostRequest>(
  options: ConsoleOptions<HostRequest>
): { readonly basePath: string; readonly site: Site } => {
  refuseUnknown(options, { basePath: true, publicUrl: true, authenticate: true })
  const { basePath = "/console", publicUrl } = options
  const base = baseOf(basePath)
  if (base === "") {
    throw new OutdialError("invalid_request", "basePath must be a path, such as /console", {}, undefined)
  }
  if (publicUrl !== undefined && !(/^https?:/.test(publicUrl) && URL.canParse(publicUrl))) {
    throw new OutdialError("invalid_request", "publicUrl must be an address such as https://example.com", {}, undefined)
  }
  const before = publicUrl === undefined ? "" : baseOf(new URL(publicUrl).pathname)
  return { basePath: base, site: { path: before + base, isHttps: publicUrl?.startsWith("https:") === true } }
}

/** An error outside of the APIs. */
const respond = Effect.fnUntraced(function*(error: ApiErrors.ApiError) {
  const requestId = yield* RequestId.make
  return HttpServerResponse.setHeaders(
    yield* Effect.provideService(ApiErrors.respond(error), RequestId.RequestId, requestId),
    { ...apiHeaders, "cache-control": "no-store", "x-request-id": requestId }
  )
})
