/**
 * Which role an endpoint of the console needs. Runs inside `ConsoleAuthorization`. An endpoint without a role rejects every user. In a
 * path with `:account`, the account must exist and be one that the user may see.
 */
import { Accounts, ConsoleRole, Errors, Ids } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { CurrentConsoleUser } from "./CurrentConsoleUser.ts"

/** Endpoint annotation: the least role that may use it. `undefined` rejects everyone. */
export const MinimumRole = Context.Reference<ConsoleRole.Role | undefined>("@outdial/console/access/MinimumRole", {
  defaultValue: () => undefined
})

/** Endpoint annotation: only for users who may see all accounts. */
export const AllAccounts = Context.Reference<boolean>("@outdial/console/access/AllAccounts", {
  defaultValue: () => false
})

export class Roles extends HttpApiMiddleware.Service<Roles, { requires: CurrentConsoleUser }>()(
  "@outdial/console/access/Roles",
  { error: ApiErrors.declare("insufficient_role", "not_found", "unavailable") }
) {
  static readonly layer = Layer.effect(
    Roles,
    Effect.gen(function*() {
      const accounts = yield* Accounts.Accounts
      return Effect.fnUntraced(function*(httpEffect, { endpoint }) {
        const user = yield* CurrentConsoleUser
        const minimum = Context.get(endpoint.annotations, MinimumRole)
        if (minimum === undefined || !ConsoleRole.isAtLeast(user.role, minimum)) {
          return yield* ApiErrors.respond(ApiErrors.insufficientRole(minimum ?? "admin"))
        }
        if (Context.get(endpoint.annotations, AllAccounts) && user.accountId !== undefined) {
          return yield* ApiErrors.respond(ApiErrors.oneAccountOnly)
        }
        const { account } = Option.match(Context.getOption(yield* Effect.context<never>(), HttpRouter.RouteContext), {
          onNone: () => ({ account: undefined }),
          onSome: ({ params }) => params
        })
        if (account !== undefined) {
          const denied = yield* accountProblem(account, user.accountId, accounts)
          if (denied !== undefined) return yield* ApiErrors.respond(denied)
        }
        return yield* httpEffect
      })
    })
  )
}

const isAccountId = Schema.is(Ids.AccountId)

/** Why the user may not use the account of the path. An account of others looks like none. */
export const accountProblem = Effect.fnUntraced(function*(
  account: string,
  only: Ids.AccountId | undefined,
  accounts: Accounts.Accounts["Service"]
) {
  const unknown = ApiErrors.from(new Errors.NotFound({ what: "account of this id" }))
  if (!isAccountId(account) || (only !== undefined && only !== account)) return unknown
  return yield* accounts.get(account).pipe(
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(ApiErrors.from(error)))
  )
})
