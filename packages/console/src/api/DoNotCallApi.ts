/** The contract of importing a do-not-call list, as the command line imports a file. */
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { inAccount, snakeKeys } from "./Endpoints.ts"

/** Largest file of one request, in bytes of JSON: some 250,000 numbers. */
const mostBytes = 4 * 1024 * 1024

/** Most lines without a number that are in the answer; `rejected_count` has all. */
export const mostRejected = 1_000

export const Imported = snakeKeys(Schema.Struct({
  /** Lines with a number. */
  read: Schema.Int,
  /** Numbers that were not on the list. */
  added: Schema.Int,
  /** Waiting calls that were canceled. */
  canceled: Schema.Int,
  rejectedCount: Schema.Int,
  rejected: Schema.Array(Schema.Struct({ line: Schema.Int, text: Schema.String, message: Schema.String }))
}))

const ImportNumbers = RequestFields.body(
  "ImportNumbers",
  Schema.Struct({
    /** One number on each line, or a CSV with the number in the first column. */
    text: Schema.String
  })
)

export const DoNotCallGroup = HttpApiGroup.make("doNotCall")
  .add(
    HttpApiEndpoint.post("import", "/accounts/:account/do-not-call/import", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: ImportNumbers,
      success: Imported,
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(RequestBody.RequestBody).annotate(RequestBody.MaxBodyBytes, mostBytes)
      .annotate(MinimumRole, "operator")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
