/** The contract of API keys. A key is in the answer that creates it, and in no other. */
import { ApiKey, Ids } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { all, inAccount, Instant, snakeKeys } from "./Endpoints.ts"

const key = {
  id: Ids.ApiKeyId,
  name: Schema.String,
  scopes: Schema.Array(ApiKey.Scope),
  createdAt: Instant,
  expiresAt: Schema.optionalKey(Instant),
  revokedAt: Schema.optionalKey(Instant),
  /** To the minute. */
  lastUsedAt: Schema.optionalKey(Instant)
}

export const Key = snakeKeys(Schema.Struct(key))

export const NewKey = snakeKeys(Schema.Struct({ ...key, apiKey: Schema.String }))

const CreateKey = RequestFields.body(
  "CreateKey",
  Schema.Struct({
    name: Schema.NonEmptyString.check(Schema.isMaxLength(200, { message: "must have at most 200 characters" })),
    scopes: Schema.Array(ApiKey.Scope).check(
      Schema.isMinLength(1, { message: "must name at least one scope" }),
      Schema.isUnique({ message: "must not repeat a scope" })
    ),
    /** Default: never. */
    expiresAt: Schema.optionalKey(Instant)
  })
)

export const Revoked = Schema.Struct({ id: Ids.ApiKeyId, revoked: Schema.Literal(true) })

export const KeysGroup = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:account/keys", {
      params: inAccount,
      query: RequestFields.noQuery,
      // Newest first, revoked ones too.
      success: all(Key),
      error: ApiErrors.declare("unavailable")
    }),
    HttpApiEndpoint.post("create", "/accounts/:account/keys", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: CreateKey,
      success: NewKey.pipe(HttpApiSchema.status(201)),
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).middleware(RequestBody.RequestBody),
    HttpApiEndpoint.delete("revoke", "/accounts/:account/keys/:id", {
      params: { ...inAccount, id: Ids.ApiKeyId },
      query: RequestFields.noQuery,
      success: Revoked,
      error: ApiErrors.declare("not_found", "unavailable")
    }).middleware(RequestBody.NoBody)
  )
  .annotateEndpoints(MinimumRole, "admin")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
