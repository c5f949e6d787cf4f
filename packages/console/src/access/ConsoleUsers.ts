/**
 * Who sent a request: the user of its session, or the host's, and how long this access lasts. Rejects requests that change something
 * unless a script of the console's own origin sent them.
 */
import { type Accounts, type AuditLog, ConsoleAccess, Errors, Ids } from "@outdial/core"
import { ApiErrors, CrossOrigin } from "@outdial/http"
import { Context, type Duration, Effect, Layer, Option, Schema } from "effect"
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
  /**
   * For open streams: returns when the session of the request has expired or was revoked; with users of the host, when it names another
   * user, role or account for the request, or none, and after `hostStream`. A storage that does not answer ends no access.
   */
  readonly ended: (user: User, request: HttpServerRequest.HttpServerRequest) => Effect.Effect<void>
}>()("@outdial/console/access/ConsoleUsers") {
  /** By sessions, or by the host's function if there is one. */
  static readonly layer = (
    authenticate: HostUsers.AuthenticateUser<object> | undefined
  ): Layer.Layer<ConsoleUsers, never, Accounts.Accounts | ConsoleAccess.ConsoleAccess> =>
    Layer.effect(
      ConsoleUsers,
      Effect.gen(function*() {
        const context = yield* Effect.context<Accounts.Accounts | ConsoleAccess.ConsoleAccess>()
        const { sessions } = Context.get(context, ConsoleAccess.ConsoleAccess)
        // Shared by all streams of the process.
        const usable = yield* Effect.cachedWithTTL(sessions, "4 seconds")
        const userOf = (
          request: HttpServerRequest.HttpServerRequest
        ): Effect.Effect<User, Errors.Unauthenticated | Errors.Unavailable> =>
          authenticate === undefined
            ? Effect.provideContext(bySession(request), context)
            : Effect.provideContext(HostUsers.resolve(authenticate, request.source), context)
        const hasSession = ({ sessionId }: User) =>
          Effect.match(usable, {
            onFailure: () => true,
            onSuccess: (all) => all.some(({ id }) => id === sessionId)
          })
        const isSameUser = (user: User, request: HttpServerRequest.HttpServerRequest) =>
          userOf(request).pipe(
            Effect.map((now) => now.role === user.role && now.name === user.name && now.accountId === user.accountId),
            Effect.timeoutOrElse({ duration: hostTimeout, orElse: () => Effect.succeed(false) }),
            Effect.catchTag("Unavailable", () => Effect.succeed(true)),
            Effect.catchTag("Unauthenticated", () => Effect.succeed(false)),
            Effect.catchDefect((defect) =>
              Effect.as(Effect.logError("authenticate failed for an open stream, which ends", defect), false)
            )
          )
        return ConsoleUsers.of({
          current: Effect.flatMap(
            HttpServerRequest.HttpServerRequest,
            (request): Effect.Effect<User, ApiErrors.ApiError> =>
              isForged(request)
                ? Effect.fail(ApiErrors.forgedInConsole)
                : Effect.mapError(userOf(request), (error) => ApiErrors.from(error))
          ),
          ended: (user, request) => {
            const untilNot = (holds: Effect.Effect<boolean>, every: Duration.Input) =>
              Effect.asVoid(Effect.repeat(Effect.delay(holds, every), { while: (isHeld) => isHeld }))
            return authenticate === undefined
              ? untilNot(hasSession(user), sessionEvery)
              : Effect.raceFirst(untilNot(isSameUser(user, request), hostEvery), Effect.sleep(hostStream))
          }
        })
      })
    )
}

/** How often the session of an open stream is looked up. */
const sessionEvery = "5 seconds"

/** How often the host is asked again for the user of an open stream, and how long it may take. */
const [hostEvery, hostTimeout] = ["30 seconds", "10 seconds"] as const

/**
 * The longest stream of a host's user. A host may know its users by what a middleware has put on the request, and that stays as it was; the
 * page's next request passes the middleware.
 */
const hostStream = "10 minutes"

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
  AuditLog.AuditLog | ConsoleUsers
> = Layer.effect(
  ConsoleAuthorization,
  Effect.gen(function*() {
    const { current, ended } = yield* ConsoleUsers
    const asUser = yield* UserRequests.make
    return (httpEffect, route) =>
      Effect.matchEffect(current, {
        onFailure: ApiErrors.respond,
        onSuccess: Effect.fnUntraced(function*(user) {
          // A try on an account that the user may not see is recorded in the user's own.
          const accountId = user.accountId ?? (yield* pathAccount)
          const request = yield* HttpServerRequest.HttpServerRequest
          return yield* asUser(Effect.provideService(httpEffect, CurrentConsoleUser, user), {
            user,
            route,
            accountId,
            ended: ended(user, request)
          })
        })
      })
  })
)
