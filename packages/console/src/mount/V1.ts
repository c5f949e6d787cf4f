/** The `/v1` API of an account for users of the console: authorized by the session in place of a key, without the limit of keys. */
import { Accounts, type ApiKey, type AuditLog, type ConsoleAccess, type ConsoleRole, Ids } from "@outdial/core"
import { ApiErrors, Authorization, CurrentAccess } from "@outdial/http"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Types } from "effect"
import { ConsoleUsers } from "../access/ConsoleUsers.ts"
import type * as Audited from "../access/Audited.ts"
import * as Roles from "../access/Roles.ts"
import * as UserRequests from "../access/UserRequests.ts"

/** The account in the path of the request. */
export const RequestedAccount = Context.Reference<string>("@outdial/console/mount/RequestedAccount", {
  defaultValue: () => ""
})

/** What each role may do in `/v1`. */
const scopes: Readonly<Record<ConsoleRole.Role, ReadonlyArray<ApiKey.Scope>>> = {
  viewer: ["calls:read"],
  operator: ["calls:read", "calls:write", "do_not_call:manage"],
  admin: ["calls:read", "calls:write", "do_not_call:manage", "webhooks:manage", "agents:manage"]
}

/** Operators also read the webhook and its deliveries, which only administrators change. */
const scopesOf = (
  { method }: HttpServerRequest.HttpServerRequest,
  role: ConsoleRole.Role
): ReadonlyArray<ApiKey.Scope> =>
  role === "operator" && method === "GET" ? [...scopes.operator, "webhooks:manage"] : scopes[role]

type Authorized = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, CurrentAccess>

export const layerAuthorization: Layer.Layer<
  Authorization,
  never,
  Accounts.Accounts | AuditLog.AuditLog | ConsoleAccess.ConsoleAccess | ConsoleUsers
> = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const users = yield* ConsoleUsers
    const accounts = yield* Accounts.Accounts
    const admit = Effect.gen(function*() {
      const user = yield* users.current
      const account = yield* RequestedAccount
      const denied = yield* Roles.accountProblem(account, user.accountId, accounts)
      if (denied !== undefined) return yield* Effect.fail(denied)
      const request = yield* HttpServerRequest.HttpServerRequest
      return { user, accountId: Ids.AccountId.make(account), scopes: scopesOf(request, user.role) }
    })
    const asUser = yield* UserRequests.make
    const authorize = (httpEffect: Authorized, route: Audited.Route) =>
      Effect.matchEffect(admit, {
        onFailure: (error: ApiErrors.ApiError) => ApiErrors.respond(error),
        onSuccess: ({ accountId, scopes, user }) => {
          const access = { accountId, scopes, principal: user.sessionId ?? user.name }
          return asUser(Effect.provideService(httpEffect, CurrentAccess, access), { user, route, accountId })
        }
      })
    return { apiKey: authorize, bearer: authorize }
  })
)
