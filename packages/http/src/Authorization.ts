/**
 * Who is asking, and what the key allows (spec §5). `X-API-Key` and `Authorization: Bearer` are equal; sent together, they
 * must agree.
 */
import { type ApiKey, ApiKeys, Errors } from "@outdial/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Types } from "effect"
import * as WireErrors from "./WireErrors.ts"

/** The key of the request, and with it the account. */
export class CurrentKey extends Context.Service<CurrentKey, ApiKey.ApiKey>()("@outdial/http/CurrentKey") {}

/** Endpoint annotation: the key has one of these scopes. An endpoint that forgets it admits nobody. */
export const RequiredScopes = Context.Reference<ReadonlyArray<ApiKey.Scope>>("@outdial/http/RequiredScopes", {
  defaultValue: () => []
})

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentKey }>()(
  "@outdial/http/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.apiKey({ key: "X-API-Key" }),
      bearer: HttpApiSecurity.bearer
    },
    error: WireErrors.declare("unauthenticated", "unavailable"),
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
            onSuccess: (key) => Effect.provideService(httpEffect, CurrentKey, key)
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
      const required = Context.get(endpoint.annotations, RequiredScopes)
      if (!required.some((scope) => scopes.includes(scope))) {
        return yield* WireErrors.respond(WireErrors.from(new Errors.InsufficientScope({ requiredScopes: required })))
      }
      return yield* httpEffect
    })
  )
}

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
