/** The contract of the overview: what an account does at this moment. Counts of waiting calls may be estimates. */
import { Call, CarrierReason, Policy, StatusCode } from "@outdial/core"
import { ApiErrors, Middleware, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount, Instant, snakeKeys } from "./Endpoints.ts"

/** Waiting calls that one rule holds. */
const Waiting = snakeKeys(Schema.Struct({
  /** Null: nothing holds them, and they are dialed as soon as a line is free. */
  statusCode: Schema.NullOr(StatusCode.StatusCode),
  /** The code in plain words. */
  reason: Schema.String,
  calls: Schema.Int,
  /** When the first of them is due; null if that is not known. */
  firstDue: Schema.NullOr(Instant)
}))

/** Calls that were placed on the account's present day. */
const Today = snakeKeys(Schema.Struct({
  day: Policy.LocalDate,
  timeZone: Schema.String,
  placed: Schema.Int,
  answered: Schema.Int,
  completed: Schema.Int,
  /** By status. */
  notConnected: Schema.Record(Schema.String, Schema.Int)
}))

const OverviewCarrier = snakeKeys(Schema.Struct({
  name: Schema.String,
  paused: Schema.Boolean,
  pausedBy: Schema.NullOr(Schema.Literals(["fault", "operator"])),
  reason: Schema.NullOr(CarrierReason.CarrierReason),
  since: Schema.NullOr(Instant)
}))

const OverviewWebhook = snakeKeys(Schema.Struct({
  configured: Schema.Boolean,
  disabled: Schema.Boolean,
  /** Whether the receiver has failed so often that deliveries pause. */
  failing: Schema.Boolean,
  openDeliveries: Schema.Int,
  oldestDue: Schema.NullOr(Instant)
}))

export const Overview = snakeKeys(Schema.Struct({
  /** When it was computed, at most a few seconds ago. */
  at: Instant,
  lines: Schema.Struct({ used: Schema.Int, limit: Schema.Int }),
  paused: Schema.Boolean,
  allPaused: Schema.Boolean,
  calls: snakeKeys(Schema.Struct({ queued: Schema.Int, dialing: Schema.Int, inProgress: Schema.Int })),
  /** The most calls first. */
  waiting: Schema.Array(Waiting),
  /** Whether every waiting call was counted; otherwise there are more. Shares of one zone's reasons may be projected. */
  waitingExact: Schema.Boolean,
  today: Today,
  carriers: Schema.Array(OverviewCarrier),
  webhook: OverviewWebhook,
  /** Live processes that dial. */
  workers: Schema.Int,
  storageReady: Schema.Boolean
}))

/** The statuses that `not_connected` counts. */
export const notConnected: ReadonlyArray<Call.CallStatus> = ["no_answer", "busy", "failed"]

export const OverviewGroup = HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("read", "/accounts/:account/overview", {
      params: inAccount,
      query: RequestFields.noQuery,
      success: Overview,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(MinimumRole, "viewer")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
