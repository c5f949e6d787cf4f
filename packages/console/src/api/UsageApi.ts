/** The contract of an account's usage by day. */
import { Cost, Policy } from "@outdial/core"
import { ApiErrors, Middleware, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount, snakeKeys } from "./Endpoints.ts"

export const UsageDay = snakeKeys(Schema.Struct({
  day: Policy.LocalDate,
  callsPlaced: Schema.Int,
  secondsTalked: Schema.Int,
  /** By currency. */
  costs: Schema.Array(Cost.Cost)
}))

export const Usage = snakeKeys(Schema.Struct({
  /** The zone of the days. */
  timeZone: Schema.String,
  /** Every day of the range, in order. */
  data: Schema.Array(UsageDay)
}))

export const UsageGroup = HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("perDay", "/accounts/:account/usage", {
      params: inAccount,
      query: RequestFields.queryOf({ from: Policy.LocalDate, to: Policy.LocalDate }),
      success: Usage,
      error: ApiErrors.declare("invalid_request", "not_found", "unavailable")
    }).annotate(MinimumRole, "viewer")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
