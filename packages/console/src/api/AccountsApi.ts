/** The contract of the accounts of the deployment. */
import { Account, Ids } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { AllAccounts, MinimumRole, Roles } from "../access/Roles.ts"
import { all, inAccount, Instant, snakeKeys } from "./Endpoints.ts"

export const ListedAccount = snakeKeys(Schema.Struct({
  id: Ids.AccountId,
  name: Schema.String,
  lines: Schema.Int,
  paused: Schema.Boolean,
  createdAt: Instant
}))

export const AccountList = snakeKeys(Schema.Struct({ ...all(ListedAccount).fields, allPaused: Schema.Boolean }))

const { lines, name } = Account.Account.fields

const CreateAccount = RequestFields.body(
  "CreateAccount",
  Schema.Struct({ name, lines: Schema.optionalKey(lines) })
)

const ChangeAccount = RequestFields.body(
  "ChangeAccount",
  Schema.Struct({
    name: Schema.optionalKey(name),
    lines: Schema.optionalKey(lines),
    paused: Schema.optionalKey(Schema.Boolean)
  })
)

export const AccountsGroup = HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", "/accounts", {
      query: RequestFields.noQuery,
      // Oldest first.
      success: AccountList,
      error: ApiErrors.declare("unavailable")
    }).annotate(AllAccounts, true),
    HttpApiEndpoint.post("create", "/accounts", {
      query: RequestFields.noQuery,
      payload: CreateAccount,
      success: ListedAccount.pipe(HttpApiSchema.status(201)),
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(RequestBody.RequestBody).annotate(AllAccounts, true),
    HttpApiEndpoint.patch("change", "/accounts/:account", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: ChangeAccount,
      success: ListedAccount,
      error: ApiErrors.declare("invalid_request", "not_found", "unavailable")
    }).middleware(RequestBody.RequestBody)
  )
  .annotateEndpoints(MinimumRole, "admin")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
