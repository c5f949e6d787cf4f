/** The contract of what stops and allows calling: of an account, of all accounts, and over a carrier. */
import { Ids } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { AllAccounts, MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount } from "./Endpoints.ts"

const Pause = RequestFields.body("Pause", Schema.Struct({ paused: Schema.Boolean }))

/** Whether calling is paused now. */
export const Paused = Schema.Struct({ paused: Schema.Boolean })

const carrier = {
  params: { ...inAccount, name: Ids.CarrierName },
  query: RequestFields.noQuery,
  success: Paused,
  error: ApiErrors.declare("not_found", "unavailable")
}

export const SwitchesGroup = HttpApiGroup.make("switches")
  .add(
    HttpApiEndpoint.post("pause", "/accounts/:account/pause", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: Pause,
      success: Paused,
      error: ApiErrors.declare("invalid_request", "not_found", "unavailable")
    }).middleware(RequestBody.RequestBody),
    HttpApiEndpoint.post("pauseAll", "/pause", {
      query: RequestFields.noQuery,
      payload: Pause,
      success: Paused,
      error: ApiErrors.declare("unavailable")
    }).middleware(RequestBody.RequestBody).annotate(AllAccounts, true),
    // A carrier serves all accounts.
    HttpApiEndpoint.post("pauseCarrier", "/accounts/:account/carriers/:name/pause", carrier)
      .middleware(RequestBody.NoBody).annotate(AllAccounts, true),
    HttpApiEndpoint.post("resumeCarrier", "/accounts/:account/carriers/:name/resume", carrier)
      .middleware(RequestBody.NoBody).annotate(AllAccounts, true)
  )
  .annotateEndpoints(MinimumRole, "operator")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
