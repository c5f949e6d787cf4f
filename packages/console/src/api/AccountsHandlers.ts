/** The accounts of the deployment. */
import { Accounts } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AddDetails } from "../access/Audited.ts"
import { CurrentConsoleUser } from "../access/CurrentConsoleUser.ts"
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
      create: Effect.fnUntraced(function*({ payload }) {
        const account = yield* Effect.mapError(accounts.create(payload), ApiErrors.from)
        yield* (yield* AddDetails)({ account: account.id })
        return account
      }),
      change: Effect.fnUntraced(function*({ params, payload }) {
        const { lines, name, paused } = payload
        yield* (yield* AddDetails)({
          ...(paused !== undefined && { paused }),
          ...(lines !== undefined && { lines }),
          // What users wrote is not in the log.
          ...(name !== undefined && { changed: "name" })
        })
        // The lines of an account are shares of what all accounts have.
        if (lines !== undefined && (yield* CurrentConsoleUser).accountId !== undefined) {
          return yield* ApiErrors.oneAccountOnly
        }
        return yield* Effect.mapError(accounts.set(params.account, payload), ApiErrors.from)
      })
    })
  })
)
