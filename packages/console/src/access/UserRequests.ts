/**
 * What holds for every request of a user, whichever API it is for: changes are recorded in the audit log, viewers get masked phone numbers,
 * and a stream ends with its user's access.
 */
import type { AuditLog, Ids } from "@outdial/core"
import { EventStreams } from "@outdial/http"
import { Effect, type Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import * as Audited from "./Audited.ts"
import type { CurrentConsoleUser } from "./CurrentConsoleUser.ts"
import * as MaskedResponses from "./MaskedResponses.ts"

export interface UserRequest {
  readonly user: CurrentConsoleUser["Service"]
  readonly route: Audited.Route
  /** The account in the path. */
  readonly accountId: Ids.AccountId | undefined
  /** Returns when the user's access is over, or is another one. */
  readonly ended: Effect.Effect<void>
}

/** Wraps the response to a user's request. */
export type AsUser = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  request: UserRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | Scope.Scope>

/** Responses without anything of callees, which are public documents. */
const isPublic = (route: Audited.Route): boolean => Audited.actionOf(route) === "policy.presets"

export const make: Effect.Effect<AsUser, never, AuditLog.AuditLog> = Effect.map(
  Audited.make,
  (audited): AsUser =>
    Effect.fnUntraced(function*(httpEffect, request) {
      const { ended, route, user } = request
      const response = yield* EventStreams.endWith(yield* audited(httpEffect, request), ended)
      return user.role === "viewer" && !isPublic(route) ? yield* MaskedResponses.mask(response) : response
    })
)
