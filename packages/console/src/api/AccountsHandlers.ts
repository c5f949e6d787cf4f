/** The accounts of the deployment. */
import { Accounts } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "accounts",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts.Accounts
    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        const data = yield* Effect.mapError(accounts.list, ApiErrors.from)
        return { data, allPaused: yield* Effect.mapError(accounts.allPaused, ApiErrors.from) }
      }),
      create: ({ payload }) => Effect.mapError(accounts.create(payload), ApiErrors.from),
      change: ({ params, payload }) => Effect.mapError(accounts.set(params.account, payload), ApiErrors.from)
    })
  })
)
