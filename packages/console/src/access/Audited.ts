/**
 * Records changes in the audit log: an entry is written before the change, and completed with the status of the response. A change that
 * cannot be recorded is refused. Entries name the route, the ids in its path, and the session, as
 * several users may have one name; of the request's body only what a handler adds.
 */
import { type AuditEntry, AuditLog, type Ids } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Cause, Context, Effect, Exit, Option, Predicate } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { HttpApiError } from "effect/http-api"
import type { CurrentConsoleUser } from "./CurrentConsoleUser.ts"

/** Requests with a body that change nothing: checks and previews, and what a user says in a conversation by keyboard. */
export const readOnly: ReadonlyArray<string> = [
  "agents.check",
  "batches.check",
  "calls.preview",
  "policy.preview",
  "talks.turn"
]

export interface Route {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

/** Such as `calls.cancel`. */
export const actionOf = ({ endpoint, group }: Route): string => `${group.identifier}.${endpoint.identifier}`

/** Whether the log has the requests of the route. */
export const isChange = (route: Route): boolean =>
  route.endpoint.method !== "GET" && route.endpoint.method !== "HEAD" && !readOnly.includes(actionOf(route))

/** Parameters that name a callee, of whom the log holds nothing. */
const hidden: ReadonlyArray<string> = ["account", "phone_number"]

/** Ids of ours, of agents, and names of carriers. The path may have any other text, such as a number. */
const isId = (value: string): boolean => /^([a-z]+_[0-9A-Za-z]{1,64}|[0-9a-f-]{36}|[a-z][a-z-]{0,63})$/iu.test(value)

/** The ids in the path, but for the account's. */
const targetOf = Effect.map(Effect.context<never>(), (context) => {
  const route = Context.getOption(context, HttpRouter.RouteContext)
  const ids = Option.isNone(route)
    ? []
    : Object.entries(route.value.params).flatMap(([name, value]) =>
      value === undefined || hidden.includes(name) || !isId(value) ? [] : [value]
    )
  return ids.length === 0 ? undefined : ids.join("/")
})

type Response = HttpServerResponse.HttpServerResponse

/** Adds facts to the entry of the request's change: nothing secret, and nothing of a callee. */
export const AddDetails = Context.Reference<(details: AuditEntry.Details) => Effect.Effect<void>>(
  "@outdial/console/access/AddDetails",
  { defaultValue: () => () => Effect.void }
)

/** Wraps the response to a user's request. */
export const make = Effect.map(AuditLog.AuditLog, (log) =>
  Effect.fnUntraced(function*<E, R>(
    httpEffect: Effect.Effect<Response, E, R>,
    { accountId, route, user }: {
      readonly accountId: Ids.AccountId | undefined
      readonly route: Route
      readonly user: CurrentConsoleUser["Service"]
    }
  ) {
    if (!isChange(route)) return yield* httpEffect
    const target = yield* targetOf
    const entry = yield* Effect.result(log.begin({
      actor: user.name,
      role: user.role,
      ...(accountId !== undefined && { accountId }),
      action: actionOf(route),
      ...(target !== undefined && { target }),
      details: user.sessionId === undefined ? {} : { session: user.sessionId }
    }))
    if (entry._tag === "Failure") return yield* ApiErrors.respond(ApiErrors.from(entry.failure))
    const details: { [name: string]: AuditEntry.Details[string] } = {}
    const addDetails = (more: AuditEntry.Details) => Effect.sync(() => void Object.assign(details, more))
    return yield* Effect.onExit(Effect.provideService(httpEffect, AddDetails, addDetails), (exit) =>
      log.complete(entry.success, { status: statusOf(exit), details }).pipe(
        Effect.catch((error) =>
          Effect.logError("An entry of the audit log could not be completed", error)
        )
      ))
  }))

/** The framework wraps errors of handlers behind an authorization that has schemes, as that of `/v1` has. */
const handlerError = (error: unknown): unknown =>
  error instanceof ApiErrors.ApiError || HttpApiError.HttpApiSchemaError.is(error) ||
    !Predicate.hasProperty(error, "error")
    ? error
    : error.error

const statusOfError = ({ code }: ApiErrors.ApiError): number => ApiErrors.statuses[code]

/** The status with which the request ends. */
const statusOf = <E>(exit: Exit.Exit<Response, E>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  // The client has gone, and the change may have been made.
  if (Cause.hasInterruptsOnly(exit.cause)) return 499
  const error = handlerError(Option.getOrUndefined(Cause.findErrorOption(exit.cause)))
  if (error instanceof ApiErrors.ApiError) return statusOfError(error)
  return HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders"
    ? 400
    : 500
}
