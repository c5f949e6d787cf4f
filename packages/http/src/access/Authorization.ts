/**
 * Authentication, rate limits and scopes (spec §5, §8). `X-API-Key` and `Authorization: Bearer` are equivalent; if both are
 * sent, they must agree. Every response to a valid key has the rate limit headers. A host may authenticate requests itself
 * instead.
 */
import { Accounts, type ApiKey, ApiKeys, Errors, type Ids, Limits, RequestLimits, RequestWindow } from "@outdial/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Types } from "effect"
import * as CrossOrigin from "./CrossOrigin.ts"
import * as HostAccess from "./HostAccess.ts"
import * as RequestHeaders from "../edge/RequestHeaders.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

/** The account of the request and its scopes. */
export class CurrentAccess extends Context.Service<CurrentAccess, {
  readonly accountId: Ids.AccountId
  readonly scopes: ReadonlyArray<ApiKey.Scope>
  /** The key, unless the host authenticates requests. */
  readonly apiKeyId?: Ids.ApiKeyId | undefined
  /** The host's name for the user, if it has given one. */
  readonly principal?: string | undefined
}>()("@outdial/http/CurrentAccess") {}

/**
 * Endpoint annotation: the caller has one of these scopes. An endpoint without this annotation and `AllScopes` rejects every
 * caller.
 */
export const RequiredScopes = Context.Reference<ReadonlyArray<ApiKey.Scope>>("@outdial/http/RequiredScopes", {
  defaultValue: () => []
})

/** Endpoint annotation: the caller has all of these scopes. Replaces `RequiredScopes`. */
export const AllScopes = Context.Reference<ReadonlyArray<ApiKey.Scope>>("@outdial/http/AllScopes", {
  defaultValue: () => []
})

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentAccess }>()(
  "@outdial/http/access/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.apiKey({ key: "X-API-Key" }),
      bearer: HttpApiSecurity.bearer
    },
    error: ApiErrors.declare("unauthenticated", "cross_origin_request", "rate_limited", "unavailable"),
    requiredForClient: true
  }
) {
  /** By API key. */
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function*() {
      const keys = yield* ApiKeys.ApiKeys
      const authorize = (httpEffect: Authorized) =>
        Effect.flatMap(credential, (secret) => keys.authenticate(secret)).pipe(
          Effect.matchEffect({
            // Responds here: after a failure the framework would try the other scheme and report only that failure.
            onFailure: (error) => ApiErrors.respond(ApiErrors.from(error)),
            onSuccess: ({ key: { accountId, id, scopes }, verdict }) => {
              const access = { accountId, scopes, apiKeyId: id }
              return withRateLimit(
                Effect.provideService(httpEffect, CurrentAccess, access),
                verdict,
                Limits.requestsPerMinute
              )
            }
          })
        )
      return { apiKey: authorize, bearer: authorize }
    })
  )

  /** By the host, which gets its platform's request. */
  static readonly layerHost = ({ allowedOrigins, authenticate, requestsPerMinute }: HostAuthorization) =>
    Layer.effect(
      Authorization,
      Effect.gen(function*() {
        const accounts = yield* Accounts.Accounts
        const limits = yield* RequestLimits.RequestLimits
        const limit = requestsPerMinute ?? Limits.requestsPerMinute
        /** The caller's access, and the verdict of the request window if there is a limit. */
        const admit = Effect.fnUntraced(function*(request: object) {
          const access = yield* HostAccess.resolve(authenticate, request)
          const { accountId, principal } = access
          const isLimited = principal !== undefined || requestsPerMinute !== undefined
          return { access, verdict: isLimited ? yield* limits.take({ accountId, principal, limit }) : undefined }
        }, Effect.provideService(Accounts.Accounts, accounts))
        const authorize = (httpEffect: Authorized) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            CrossOrigin.isForged(request, allowedOrigins)
              ? ApiErrors.respond(ApiErrors.crossOrigin)
              : Effect.matchEffect(admit(request.source), {
                onFailure: (error) => ApiErrors.respond(ApiErrors.from(error)),
                onSuccess: ({ access, verdict }) => {
                  const answer = Effect.provideService(httpEffect, CurrentAccess, access)
                  return verdict === undefined ? answer : withRateLimit(answer, verdict, limit)
                }
              }))
        return { apiKey: authorize, bearer: authorize }
      })
    )
}

/** How a host authenticates requests. */
export interface HostAuthorization {
  readonly authenticate: HostAccess.Authenticate<object>
  readonly allowedOrigins: ReadonlySet<string>
  readonly requestsPerMinute: number | undefined
}

/** The response to an authenticated request. */
type Authorized = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, CurrentAccess>

/** Runs inside `Authorization`. */
export class Scopes extends HttpApiMiddleware.Service<Scopes, { requires: CurrentAccess }>()("@outdial/http/Scopes", {
  error: ApiErrors.declare("insufficient_scope")
}) {
  static readonly layer = Layer.succeed(
    Scopes,
    Effect.fnUntraced(function*(httpEffect, { endpoint }) {
      const { scopes } = yield* CurrentAccess
      const all = Context.get(endpoint.annotations, AllScopes)
      if (all.length > 0 && !all.every((scope) => scopes.includes(scope))) {
        return yield* ApiErrors.respond(ApiErrors.insufficientScope(all, "all"))
      }
      const one = Context.get(endpoint.annotations, RequiredScopes)
      if (all.length === 0 && !one.some((scope) => scopes.includes(scope))) {
        return yield* ApiErrors.respond(ApiErrors.insufficientScope(one, "one"))
      }
      return yield* httpEffect
    })
  )
}

/** The response if the request window allows the request, else 429. Both get the rate limit headers. */
const withRateLimit = (
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>,
  verdict: RequestWindow.Verdict,
  limit: number
) =>
  Effect.andThen(
    addRateLimitHeaders(verdict, limit),
    verdict.allowed
      ? answer
      : ApiErrors.respond(ApiErrors.from(new Errors.RateLimited({ limit, retryAfter: verdict.retryAfter })))
  )

/** Adds the remaining requests to every response (draft-ietf-httpapi-ratelimit-headers). */
const addRateLimitHeaders = ({ allowed, remaining, reset, retryAfter }: RequestWindow.Verdict, limit: number) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, {
      "ratelimit-policy": `"default";q=${limit};w=${RequestWindow.size}`,
      "ratelimit": `"default";r=${remaining};t=${allowed ? reset : retryAfter}`
    }))
  )

/** The key of the request; empty without one. */
const credential = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { headers } = request
  const apiKey = headers["x-api-key"]?.trim() ?? ""
  // Ignores other schemes, such as a proxy's Basic.
  const bearer = /^bearer +(.*)$/i.exec(headers["authorization"] ?? "")?.[1]?.trim() ?? ""
  const isRepeated = ["x-api-key", "authorization"].some((name) => RequestHeaders.count(request, name) > 1)
  if (isRepeated || (apiKey !== "" && bearer !== "" && apiKey !== bearer)) {
    return yield* new Errors.Unauthenticated({ why: "conflicting" })
  }
  return Redacted.make(apiKey === "" ? bearer : apiKey, { label: "api-key" })
})
