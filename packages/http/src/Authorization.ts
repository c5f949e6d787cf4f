/**
 * Who is asking, how often, and what the key allows (spec §5, §8). `X-API-Key` and `Authorization: Bearer` are equal; sent
 * together, they must agree. Every answer to a valid key tells what is left of its requests.
 */
import { type ApiKey, ApiKeys, Errors, Limits, RequestWindow } from "@outdial/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Types } from "effect"
import * as WireErrors from "./WireErrors.ts"

/** The key of the request, and with it the account. */
export class CurrentKey extends Context.Service<CurrentKey, ApiKey.ApiKey>()("@outdial/http/CurrentKey") {}

/** Endpoint annotation: the key has one of these scopes. An endpoint that names none, here or below, admits nobody. */
export const RequiredScopes = Context.Reference<ReadonlyArray<ApiKey.Scope>>("@outdial/http/RequiredScopes", {
  defaultValue: () => []
})

/** Endpoint annotation: the key has all of these scopes. Stands in place of `RequiredScopes`. */
export const AllScopes = Context.Reference<ReadonlyArray<ApiKey.Scope>>("@outdial/http/AllScopes", {
  defaultValue: () => []
})

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentKey }>()(
  "@outdial/http/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.apiKey({ key: "X-API-Key" }),
      bearer: HttpApiSecurity.bearer
    },
    error: WireErrors.declare("unauthenticated", "rate_limited", "unavailable"),
    requiredForClient: true
  }
) {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function*() {
      const keys = yield* ApiKeys.ApiKeys
      const authorize = (
        httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, CurrentKey>
      ) =>
        Effect.flatMap(credential, (secret) => keys.authenticate(secret)).pipe(
          Effect.matchEffect({
            // Answered here: after a failure the framework would try the other scheme, and report only that one's.
            onFailure: (error) => WireErrors.respond(WireErrors.from(error)),
            onSuccess: ({ key, verdict }) =>
              Effect.andThen(
                tellLimit(verdict),
                verdict.allowed
                  ? Effect.provideService(httpEffect, CurrentKey, key)
                  : WireErrors.respond(WireErrors.from(
                    new Errors.RateLimited({ limit: Limits.requestsPerMinute, retryAfter: verdict.retryAfter })
                  ))
              )
          })
        )
      return { apiKey: authorize, bearer: authorize }
    })
  )
}

/** Runs inside `Authorization`. */
export class Scopes extends HttpApiMiddleware.Service<Scopes, { requires: CurrentKey }>()("@outdial/http/Scopes", {
  error: WireErrors.declare("insufficient_scope")
}) {
  static readonly layer = Layer.succeed(
    Scopes,
    Effect.fnUntraced(function*(httpEffect, { endpoint }) {
      const { scopes } = yield* CurrentKey
      const all = Context.get(endpoint.annotations, AllScopes)
      if (all.length > 0 && !all.every((scope) => scopes.includes(scope))) {
        return yield* WireErrors.respond(WireErrors.insufficientScope(all, "all"))
      }
      const one = Context.get(endpoint.annotations, RequiredScopes)
      if (all.length === 0 && !one.some((scope) => scopes.includes(scope))) {
        return yield* WireErrors.respond(WireErrors.insufficientScope(one, "one"))
      }
      return yield* httpEffect
    })
  )
}

/** What is left, on whatever is answered in the end (draft-ietf-httpapi-ratelimit-headers). */
const tellLimit = ({ allowed, remaining, reset, retryAfter }: RequestWindow.Verdict) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, {
      "ratelimit-policy": `"default";q=${Limits.requestsPerMinute};w=${RequestWindow.size}`,
      "ratelimit": `"default";r=${remaining};t=${allowed ? reset : retryAfter}`
    }))
  )

/** The one key that the request carries, empty when it carries none. */
const credential = Effect.gen(function*() {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const apiKey = headers["x-api-key"]?.trim() ?? ""
  // Another scheme, such as a proxy's Basic, is none of ours.
  const bearer = /^bearer +(.*)$/i.exec(headers["authorization"] ?? "")?.[1]?.trim() ?? ""
  if (apiKey !== "" && bearer !== "" && apiKey !== bearer) {
    return yield* new Errors.Unauthenticated({ why: "conflicting" })
  }
  return Redacted.make(apiKey === "" ? bearer : apiKey, { label: "api-key" })
})
