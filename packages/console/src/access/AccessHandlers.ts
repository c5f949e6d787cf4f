/** The handlers of `AccessApi`. */
import { Accounts, type AuditEntry, AuditLog, ConsoleAccess, Errors, Ids, Page } from "@outdial/core"
import { ApiErrors, Lists } from "@outdial/http"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { AccessApi } from "./AccessApi.ts"
import { AddDetails } from "./Audited.ts"
import type { HandlerServices } from "./HandlerServices.ts"
import { isForged } from "./ConsoleUsers.ts"
import { CurrentConsoleUser } from "./CurrentConsoleUser.ts"
import * as LinkAttempts from "./LinkAttempts.ts"
import { accountProblem } from "./Roles.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as SessionView from "./SessionView.ts"

/** The handlers, for sessions whose cookies belong to the site. */
export const layer = (
  site: SessionCookie.Site
): Layer.Layer<HttpApiGroup.ToService<"access", Groups[keyof Groups]>, never, HandlerServices> =>
  Layer.mergeAll(link(site), session(site), links, audit)

type Groups = (typeof AccessApi)["groups"]

/** Sets the cookie of the response, or removes it. */
const cookie = (site: SessionCookie.Site, token: Redacted.Redacted | undefined) =>
  HttpEffect.appendPreResponseHandler((request, response) =>
    Effect.succeed(SessionCookie.set(response, request, { site, token }))
  )

const link = (site: SessionCookie.Site) =>
  HttpApiBuilder.group(
    AccessApi,
    "link",
    Effect.fnUntraced(function*(handlers) {
      const access = yield* ConsoleAccess.ConsoleAccess
      const attempts = yield* LinkAttempts.make
      const view = yield* SessionView.make
      return handlers.handleAll({
        open: Effect.fnUntraced(function*({ payload: { token } }) {
          const request = yield* HttpServerRequest.HttpServerRequest
          if (isForged(request)) return yield* ApiErrors.forgedInConsole
          // What could fail is read before the link is used up.
          const viewOf = yield* view
          const opened = yield* access.openLink(Redacted.make(token))
          if (Option.isNone(opened)) {
            const { allowed, retryAfter } = yield* attempts.failed(Option.getOrElse(request.remoteAddress, () => ""))
            if (allowed) return yield* ApiErrors.linkInvalid
            return yield* ApiErrors.from(new Errors.RateLimited({ limit: LinkAttempts.limit, retryAfter }))
          }
          const { accountId, expiresAt, id, name, role } = opened.value.session
          yield* cookie(site, opened.value.token)
          return viewOf({ role, name, accountId, sessionId: id }, expiresAt)
        }, Effect.mapError(orApiError))
      })
    })
  )

const session = (site: SessionCookie.Site) =>
  HttpApiBuilder.group(
    AccessApi,
    "session",
    Effect.fnUntraced(function*(handlers) {
      const access = yield* ConsoleAccess.ConsoleAccess
      const view = yield* SessionView.make
      const sessions = Effect.flatMap(access.sessions, seen)
      return handlers.handleAll({
        get: Effect.fnUntraced(function*() {
          const user = yield* CurrentConsoleUser
          const own = user.sessionId === undefined
            ? undefined
            : (yield* access.sessions).find(({ id }) => id === user.sessionId)
          return (yield* view)(user, own?.expiresAt)
        }, Effect.mapError(orApiError)),
        end: Effect.fnUntraced(function*() {
          const { sessionId } = yield* CurrentConsoleUser
          if (sessionId !== undefined) yield* access.revoke(Ids.ConsoleSessionId.make(sessionId))
          yield* cookie(site, undefined)
        }, Effect.mapError(orApiError)),
        list: Effect.fnUntraced(function*() {
          const user = yield* CurrentConsoleUser
          return {
            data: (yield* sessions).map((session) => ({
              ...session,
              accountId: session.accountId ?? null,
              current: session.id === user.sessionId
            }))
          }
        }, Effect.mapError(orApiError)),
        revoke: Effect.fnUntraced(function*({ params: { id } }) {
          const isTheirs = (yield* sessions).some((session) => session.id === id)
          if (!isTheirs || !(yield* access.revoke(id))) {
            return yield* ApiErrors.from(new Errors.NotFound({ what: `session ${id}` }))
          }
        }, Effect.mapError(orApiError))
      })
    })
  )

/** Those that the user may see: an admin of one account sees those of that account. */
const seen = <Of extends { readonly accountId?: Ids.AccountId }>(all: ReadonlyArray<Of>) =>
  Effect.map(
    CurrentConsoleUser,
    ({ accountId }) => accountId === undefined ? all : all.filter((one) => one.accountId === accountId)
  )

const links = HttpApiBuilder.group(
  AccessApi,
  "links",
  Effect.fnUntraced(function*(handlers) {
    const access = yield* ConsoleAccess.ConsoleAccess
    const accounts = yield* Accounts.Accounts
    const unused = Effect.flatMap(access.links, seen)
    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        return { data: (yield* unused).map((link) => ({ ...link, accountId: link.accountId ?? null })) }
      }, Effect.mapError(orApiError)),
      create: Effect.fnUntraced(function*({ payload }) {
        const user = yield* CurrentConsoleUser
        const { accountId, name, role } = payload
        yield* (yield* AddDetails)({ role, name, ...(accountId !== undefined && { account_id: accountId }) })
        if (user.sessionId === undefined) return yield* ApiErrors.linksUnused
        if (accountId === undefined && user.accountId !== undefined) return yield* ApiErrors.oneAccountOnly
        const denied = accountId === undefined ? undefined : yield* accountProblem(accountId, user.accountId, accounts)
        if (denied !== undefined) return yield* denied
        const { token, ...link } = yield* access.createLink(payload)
        yield* (yield* AddDetails)({ link: link.id })
        return { ...link, accountId: accountId ?? null, token: Redacted.value(token) }
      }, Effect.mapError(orApiError)),
      revoke: Effect.fnUntraced(function*({ params: { id } }) {
        const isTheirs = (yield* unused).some((link) => link.id === id)
        if (!isTheirs || !(yield* access.revokeLink(id))) {
          return yield* ApiErrors.from(new Errors.NotFound({ what: `link ${id}` }))
        }
      }, Effect.mapError(orApiError))
    })
  })
)

const audit = HttpApiBuilder.group(
  AccessApi,
  "audit",
  Effect.fnUntraced(function*(handlers) {
    const log = yield* AuditLog.AuditLog
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { accountId } = yield* CurrentConsoleUser
        const page = yield* log.list(accountId === undefined ? {} : { accountId }, Page.pageRequest(query))
        return Lists.toList(page, toView)
      }, Effect.mapError(orApiError))
    })
  })
)

const toView = ({ accountId, createdAt, status, target, ...entry }: AuditEntry.AuditEntry) => ({
  ...entry,
  at: createdAt,
  accountId: accountId ?? null,
  target: target ?? null,
  status: status ?? null
})

const orApiError = <E extends ApiErrors.ApiError | Errors.Unavailable>(error: E) =>
  // One of the two: the compiler cannot subtract the class from a type parameter.
  (error instanceof Errors.Unavailable ? ApiErrors.from(error) : error) as
    | ApiErrors.ApiError<"unavailable">
    | Exclude<E, Errors.Unavailable>
