/** The `/v1` API of an account for users of the console: authorized by the session in place of a key, without the limit of keys. */
import { Accounts, type ApiKey, type AuditLog, type ConsoleRole, Ids, RecordingLinks } from "@outdial/core"
import { ApiErrors, Authorization, CurrentAccess } from "@outdial/http"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Types } from "effect"
import { ConsoleUsers } from "../access/ConsoleUsers.ts"
import type * as Audited from "../access/Audited.ts"
import type { CurrentConsoleUser } from "../access/CurrentConsoleUser.ts"
import * as Roles from "../access/Roles.ts"
import * as UserRequests from "../access/UserRequests.ts"
import * as ViewerRequests from "../access/ViewerRequests.ts"

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

const isAccountId = Schema.is(Ids.AccountId)

type User = CurrentConsoleUser["Service"]

type Authorized = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, CurrentAccess>

export const layerAuthorization: Layer.Layer<
  Authorization,
  never,
  Accounts.Accounts | AuditLog.AuditLog | ConsoleUsers
> = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const users = yield* ConsoleUsers
    const accounts = yield* Accounts.Accounts
    const asUser = yield* UserRequests.make
    const respond = Effect.fnUntraced(function*(httpEffect: Authorized, route: Audited.Route, user: User) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const account = yield* RequestedAccount
      const ended = users.ended(user, request)
      const denied = (yield* Roles.accountProblem(account, user.accountId, accounts)) ??
        ViewerRequests.problem(user.role, { route, url: request.url })
      if (denied !== undefined) {
        // A try on an account that the user may not see is recorded in the user's own.
        const accountId = user.accountId ?? (isAccountId(account) ? account : undefined)
        return yield* asUser(ApiErrors.respond(denied), { user, route, accountId, ended })
      }
      const accountId = Ids.AccountId.make(account)
      const access = { accountId, scopes: scopesOf(request, user.role), principal: user.sessionId ?? user.name }
      const answer = Effect.provideService(httpEffect, CurrentAccess, access)
      return yield* asUser(answer, { user, route, accountId, ended })
    })
    const authorize = (httpEffect: Authorized, route: Audited.Route) =>
      Effect.matchEffect(users.current, {
        onFailure: (error) => ApiErrors.respond(error),
        onSuccess: (user) => respond(httpEffect, route, user)
      })
    return { apiKey: authorize, bearer: authorize }
  })
)

/**
 * Links to recordings need no key, but here they need a user like everything else: one who may see the account of the path, which must be
 * that of the link.
 */
export const admitToRecording = Effect.gen(function*() {
  const { current } = yield* ConsoleUsers
  const accounts = yield* Accounts.Accounts
  return Effect.gen(function*() {
    const { accountId } = yield* current
    const account = yield* RequestedAccount
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const denied = yield* Roles.accountProblem(account, accountId, accounts)
    if (denied !== undefined) return yield* denied
    const ofLink = new URLSearchParams(url.slice(url.indexOf("?") + 1)).getAll("account")
    if (ofLink.length !== 1 || ofLink[0] !== account) return yield* ApiErrors.from(RecordingLinks.noRecording)
  })
})
