/** The contract of checking the rows of a batch before it is started. Writes nothing. */
import { Ids, Limits, Wire } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount, snakeKeys } from "./Endpoints.ts"

/** What would become of the rows at this moment. */
export const BatchCheck = snakeKeys(Schema.Struct({
  acceptedCount: Schema.Int,
  rejectedCount: Schema.Int,
  rejected: Schema.Array(Wire.RejectedRowWire)
}))

const CheckBatch = RequestFields.body(
  "CheckBatch",
  Schema.Struct({
    /** The agent of rows that name none. */
    agentId: Schema.optionalKey(Ids.AgentId),
    /** 1 to 1,000 rows, as a batch has them. */
    calls: Schema.Array(Schema.Any)
  })
)

export const BatchesGroup = HttpApiGroup.make("batches")
  .add(
    HttpApiEndpoint.post("check", "/accounts/:account/batches/check", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: CheckBatch,
      success: BatchCheck,
      error: ApiErrors.declare("invalid_request", "batch_too_large", "unavailable")
    }).middleware(RequestBody.RequestBody).annotate(RequestBody.MaxBodyBytes, Limits.batchBodyBytes)
      .annotate(MinimumRole, "operator")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
