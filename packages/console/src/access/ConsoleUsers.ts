/**
 * Who sent a request: the user of its session, or the host's. Rejects requests that change something unless a script of the console's
 * own origin sent them.
 */
import { type Accounts, type AuditLog, ConsoleAccess, Errors, Ids } from "@outdial/core"
import { ApiErrors, CrossOrigin } from "@outdial/http"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { ConsoleAuthorization, CurrentConsoleUser } from "./CurrentConsoleUser.ts"
import * as HostUsers from "./HostUsers.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as UserRequests from "./UserRequests.ts"

/** The header of every request that is not a GET: a form of another site's page cannot send it. */
export const header = "outdial-console"

const isSafe = (method: string) => method === "GET" || method === "HEAD"

/** Whether the request may change something and is not known to come from the console's page. */
export const isForged = (request: HttpServerRequest.HttpServerRequest): boolean =>
  !isSafe(request.method) && (request.headers[header] !== "1" || CrossOrigin.isForged(request, new Set()))

type User = CurrentConsoleUser["Service"]

export class ConsoleUsers extends Context.Service<ConsoleUsers, {
  /** The user of the current request, or the error of the response. */
  readonly current: Effect.Effect<User, ApiErrors.ApiError, HttpServerRequest.HttpServerRequest>
}>()("@outdial/console/access/ConsoleUsers") {
  /** By sessions, or by the host's function if there is one. */
  static readonly layer = (
    authenticate: HostUsers.AuthenticateUser<object> | undefined
  ): Layer.Layer<ConsoleUsers, never, Accounts.Accounts | ConsoleAccess.ConsoleAccess> =>
    Layer.effect(
      ConsoleUsers,
      Effect.gen(function*() {
        const context = yield* Effect.context<Accounts.Accounts | ConsoleAccess.ConsoleAccess>()
        const userOf = (request: HttpServerRequest.HttpServerRequest) =>
          Effect.gen(function*() {
            if (authenticate === undefined) return yield* bySession(request)
            return yield* HostUsers.resolve(authenticate, request.source)
          }).pipe(
            Effect.provideContext(context),
            Effect.mapError((error) => ApiErrors.from(error))
          )
        return ConsoleUsers.of({
          current: Effect.flatMap(
            HttpServerRequest.HttpServerRequest,
            (request): Effect.Effect<User, ApiErrors.ApiError> =>
              isForged(request) ? Effect.fail(ApiErrors.forgedInConsole) : userOf(request)
          )
        })
      })
    )
}

const noSession = new Errors.Unauthenticated({ why: "session" })

const bySession = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const access = yield* ConsoleAccess.ConsoleAccess
  const token = SessionCookie.token(request)
  if (Option.isNone(token)) return yield* noSession
  const found = yield* access.sessionOf(token.value)
  if (Option.isNone(found)) return yield* noSession
  const { accountId, id, name, role } = found.value
  return { role, name, sessionId: id, accountId }
})

/** The account in the path, if it has the form of one. */
const pathAccount = Effect.map(Effect.context<never>(), (context) => {
  const route = Context.getOption(context, HttpRouter.RouteContext)
  const account = Option.isNone(route) ? undefined : route.value.params["account"]
  return isAccountId(account) ? account : undefined
})

const isAccountId = Schema.is(Ids.AccountId)

/** Provides the user to the endpoints of the console. */
export const layerAuthorization: Layer.Layer<
  ConsoleAuthorization,
  never,
  AuditLog.AuditLog | ConsoleAccess.ConsoleAccess | ConsoleUsers
> = Layer.effect(
  ConsoleAuthorization,
  Effect.gen(function*() {
    const { current } = yield* ConsoleUsers
    const asUser = yield* UserRequests.make
    return (httpEffect, route) =>
      Effect.matchEffect(current, {
        onFailure: ApiErrors.respond,
        onSuccess: (user) =>
          Effect.flatMap(pathAccount, (inPath) => {
            // A try on an account that the user may not see is recorded in the user's own.
            const accountId = user.accountId ?? inPath
            return asUser(Effect.provideService(httpEffect, CurrentConsoleUser, user), { user, route, accountId })
          })
      })
  })
)
