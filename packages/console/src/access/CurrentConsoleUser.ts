/** Who sent a request of the console. `ConsoleAuthorization` provides it to the endpoints. */
import type { ConsoleRole, Ids } from "@outdial/core"
import { Context, Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { ApiErrors } from "@outdial/http"

/** The user of the current request. */
export class CurrentConsoleUser extends Context.Service<CurrentConsoleUser, {
  readonly role: ConsoleRole.Role
  /** The user's name, for the audit log. */
  readonly name: string
  /** The session, unless the host authenticates requests. */
  readonly sessionId: string | undefined
  /** The only account that the user may see; `undefined` for all accounts. */
  readonly accountId: Ids.AccountId | undefined
}>()("@outdial/console/access/CurrentConsoleUser") {}

/** What limits count by: the session, or the name and the account of a user of the host. */
export const owner = Effect.map(
  CurrentConsoleUser,
  ({ accountId, name, sessionId }) => sessionId ?? `user ${accountId ?? ""} ${name}`
)

/** Knows the user by the session's cookie, or by the host. Rejects forged requests. Every group of the console's API has it. */
export class ConsoleAuthorization
  extends HttpApiMiddleware.Service<ConsoleAuthorization, { provides: CurrentConsoleUser }>()(
    "@outdial/console/access/ConsoleAuthorization",
    { error: ApiErrors.declare("unauthenticated", "cross_origin_request", "unavailable") }
  )
{}
