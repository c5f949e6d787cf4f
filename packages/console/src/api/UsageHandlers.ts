/** The usage of an account. */
import { Accounts, Policy, UsageReport } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "./ConsoleApi.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "usage",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts.Accounts
    const usage = yield* UsageReport.UsageReport
    return handlers.handleAll({
      perDay: Effect.fnUntraced(function*({ params, query }) {
        const { policy } = yield* Effect.mapError(accounts.get(params.account), ApiErrors.from)
        const data = yield* Effect.mapError(usage.perDay(params.account, query), ApiErrors.fromAt("query"))
        return { timeZone: Policy.complete(policy ?? {}).timeZone, data }
      })
    })
  })
)
