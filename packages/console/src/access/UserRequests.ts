/**
 * What holds for every request of a user, whichever API it is for: changes are recorded in the audit log, viewers get masked phone numbers,
 * and a stream ends with its session.
 */
import { type AuditLog, ConsoleAccess, type Ids } from "@outdial/core"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Audited from "./Audited.ts"
import type { CurrentConsoleUser } from "./CurrentConsoleUser.ts"
import * as MaskedResponses from "./MaskedResponses.ts"

export interface UserRequest {
  readonly user: CurrentConsoleUser["Service"]
  readonly route: Audited.Route
  /** The account in the path. */
  readonly accountId: Ids.AccountId | undefined
}

/** How often the session of an open stream is looked up; all streams of the process share a look-up. */
const lookUpEvery = "5 seconds"

/** Wraps the response to a user's request. */
export type AsUser = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  request: UserRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export const make: Effect.Effect<AsUser, never, AuditLog.AuditLog | ConsoleAccess.ConsoleAccess> = Effect.gen(
  function*() {
    const access = yield* ConsoleAccess.ConsoleAccess
    const audited = yield* Audited.make
    const sessions = yield* Effect.cachedWithTTL(access.sessions, "4 seconds")

    /** Returns when the session has expired or was revoked. A storage that does not answer ends no stream. */
    const ended = (sessionId: string) =>
      Effect.sleep(lookUpEvery).pipe(
        Effect.andThen(sessions),
        Effect.map((all) => all.every(({ id }) => id !== sessionId)),
        Effect.catch(() => Effect.succeed(false)),
        Effect.repeat({ until: (isOver) => isOver })
      )

    const endWithSession = (response: HttpServerResponse.HttpServerResponse, sessionId: string | undefined) => {
      const { body } = response
      if (sessionId === undefined || body._tag !== "Stream") return response
      const { contentType } = body
      return HttpServerResponse.setBody(
        response,
        HttpServerResponse.stream(Stream.interruptWhen(body.stream, ended(sessionId)), { contentType }).body
      )
    }

    return <E, R>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      request: UserRequest
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
      Effect.flatMap(audited(httpEffect, request), (response) => {
        const ending = endWithSession(response, request.user.sessionId)
        return request.user.role === "viewer" ? MaskedResponses.mask(ending) : Effect.succeed(ending)
      })
  }
)
