/** The contract of links, sessions and the audit log. Paths are below the console's own API. */
import { AuditEntry, ConsoleRole, ConsoleSession, Ids, Timestamp, Wire } from "@outdial/core"
import { ApiErrors, Lists, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ConsoleAuthorization } from "./CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "./Roles.ts"

const { snakeKeys } = Wire

/** What the page knows of its user. */
export const SessionView = snakeKeys(Schema.Struct({
  role: ConsoleRole.Role,
  name: Schema.String,
  /** The only account that the user may see; null for all. */
  accountId: Schema.NullOr(Ids.AccountId),
  /** Those that the user may see, oldest first. */
  accounts: Schema.Array(Schema.Struct({ id: Ids.AccountId, name: Schema.String, paused: Schema.Boolean })),
  /** Whether the emergency stop holds all accounts. */
  allPaused: Schema.Boolean,
  /** Null when the host authenticates its users. */
  expiresAt: Schema.NullOr(Timestamp.Timestamp),
  version: Schema.String,
  /** The names of the carriers, separated by commas. */
  carrier: Schema.String
}))

export const SessionList = Schema.Struct({
  data: Schema.Array(snakeKeys(Schema.Struct({
    id: Ids.ConsoleSessionId,
    role: ConsoleRole.Role,
    name: Schema.String,
    accountId: Schema.NullOr(Ids.AccountId),
    createdAt: Timestamp.Timestamp,
    expiresAt: Timestamp.Timestamp,
    lastUsedAt: Timestamp.Timestamp,
    /** Whether it is the session of this request. */
    current: Schema.Boolean
  })))
})

const link = {
  id: Ids.ConsoleLinkId,
  role: ConsoleRole.Role,
  name: Schema.String,
  accountId: Schema.NullOr(Ids.AccountId),
  createdAt: Timestamp.Timestamp,
  expiresAt: Timestamp.Timestamp
}

/** Those that have not been opened, newest first. */
export const LinkList = Schema.Struct({ data: Schema.Array(snakeKeys(Schema.Struct(link))) })

/** The only answer with the token, which belongs behind the `#` of the page `link`. */
export const NewLink = snakeKeys(Schema.Struct({ ...link, token: Schema.String }))

const CreateLink = RequestFields.body(
  "CreateLink",
  Schema.Struct({
    role: ConsoleRole.Role,
    /** Of the user, for the list of sessions and the audit log. */
    name: ConsoleSession.UserName,
    /** The only account that the user sees. Default: all accounts. */
    accountId: Schema.optionalKey(Ids.AccountId)
  })
)

export const AuditEntryView = snakeKeys(
  Schema.Struct({
    id: Ids.AuditEntryId,
    at: Timestamp.Timestamp,
    actor: Schema.String,
    role: ConsoleRole.Role,
    accountId: Schema.NullOr(Ids.AccountId),
    action: Schema.String,
    target: Schema.NullOr(Schema.String),
    /** Null while the change is carried out, or when its end is not known. */
    status: Schema.NullOr(Schema.Int),
    details: AuditEntry.Details
  }),
  "AuditEntry"
)

const OpenSession = RequestFields.body("OpenSession", Schema.Struct({ token: Schema.String }))

const unavailable = ApiErrors.declare("unavailable")

/** The start of a session, before there is a user. */
export const LinkGroup = HttpApiGroup.make("link")
  .add(
    HttpApiEndpoint.post("open", "/session", {
      query: RequestFields.noQuery,
      payload: OpenSession,
      success: SessionView,
      error: ApiErrors.declare("link_invalid", "cross_origin_request", "rate_limited", "unavailable")
    }).middleware(RequestBody.RequestBody)
  )
  .middleware(Middleware.ErrorEnvelope)

export const SessionGroup = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("get", "/session", {
      query: RequestFields.noQuery,
      success: SessionView,
      error: unavailable
    }).annotate(MinimumRole, "viewer"),
    HttpApiEndpoint.delete("end", "/session", {
      query: RequestFields.noQuery,
      success: HttpApiSchema.NoContent,
      error: unavailable
    }).middleware(RequestBody.NoBody).annotate(MinimumRole, "viewer"),
    HttpApiEndpoint.get("list", "/sessions", {
      query: RequestFields.noQuery,
      success: SessionList,
      error: unavailable
    }).annotate(MinimumRole, "admin"),
    HttpApiEndpoint.delete("revoke", "/sessions/:id", {
      params: { id: Ids.ConsoleSessionId },
      query: RequestFields.noQuery,
      success: HttpApiSchema.NoContent,
      error: ApiErrors.declare("not_found", "unavailable")
    }).middleware(RequestBody.NoBody).annotate(MinimumRole, "admin")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)

/** Admins let others in. A user of one account makes links for that account alone. */
export const LinksGroup = HttpApiGroup.make("links")
  .add(
    HttpApiEndpoint.get("list", "/links", {
      query: RequestFields.noQuery,
      success: LinkList,
      error: unavailable
    }),
    HttpApiEndpoint.post("create", "/links", {
      query: RequestFields.noQuery,
      payload: CreateLink,
      success: NewLink.pipe(HttpApiSchema.status(201)),
      error: ApiErrors.declare("invalid_request", "insufficient_role", "not_found", "unavailable")
    }).middleware(RequestBody.RequestBody),
    HttpApiEndpoint.delete("revoke", "/links/:id", {
      params: { id: Ids.ConsoleLinkId },
      query: RequestFields.noQuery,
      success: HttpApiSchema.NoContent,
      error: ApiErrors.declare("not_found", "unavailable")
    }).middleware(RequestBody.NoBody)
  )
  .annotateEndpoints(MinimumRole, "admin")
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)

export const AuditGroup = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: RequestFields.queryOf(Lists.pageQuery),
      success: Lists.listOf(AuditEntryView),
      error: ApiErrors.declare("invalid_request", "unavailable")
    }).annotate(MinimumRole, "admin")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)

export class AccessApi extends HttpApi.make("access")
  .add(LinkGroup)
  .add(SessionGroup)
  .add(LinksGroup)
  .add(AuditGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.SuccessParseOptions, { errors: "first" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
{}
