/**
 * The contract of an account's policy, a document in the form of a file. A preview stores nothing: problems of the document are its result,
 * and an error of `PUT`.
 */
import { Ids, PhoneNumber, Policy, PolicyWire, Wire } from "@outdial/core"
import { ApiErrors, Middleware, RequestBody, RequestFields } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ConsoleAuthorization } from "../access/CurrentConsoleUser.ts"
import { MinimumRole, Roles } from "../access/Roles.ts"
import { all, inAccount, Problem, snakeKeys } from "./Endpoints.ts"

/** A finding of the lint. It forbids nothing. */
export const Warning = Schema.Struct({
  code: Schema.String,
  severity: Schema.Literals(["warning", "info"]),
  /** JSON Pointer into the policy. */
  path: Schema.String,
  message: Schema.String,
  /** The values in the message, for the languages of the page. Each code has its own. */
  data: Schema.Struct({
    preset: Schema.optionalKey(Schema.String),
    /** Empty for any time of any day. */
    times: Schema.optionalKey(
      Schema.Array(Schema.Struct({ day: Schema.String, start: Schema.String, end: Schema.String }))
    ),
    default: Schema.optionalKey(Schema.Boolean),
    seconds: Schema.optionalKey(Schema.Int),
    least: Schema.optionalKey(Schema.Int),
    max: Schema.optionalKey(Schema.Int),
    calendar: Schema.optionalKey(Schema.String)
  })
})

export const AccountPolicy = Schema.Struct({
  /** As its owner wrote it; null when the stored policy cannot be read, and nothing is dialed. */
  policy: Schema.NullOr(PolicyWire.PolicyWire),
  /** The policy of an account that writes none. A field that a policy leaves out has its value from here. */
  defaults: PolicyWire.PolicyWire,
  warnings: Schema.Array(Warning)
})

/** What becomes of waiting calls under a policy. */
export const PolicyEffect = snakeKeys(Schema.Struct({
  waitingCalls: Schema.Int,
  /** Those that are due first. */
  waitingCallsExamined: Schema.Int,
  /** May be dialed now. */
  nowCallable: Schema.Int,
  /** Are held, and may be dialed later. */
  later: Schema.Int,
  /** Expire before they may be dialed. */
  expire: Schema.Int
}))

export const PolicyPreview = Schema.Struct({
  /** Why it is not a policy. Then there is nothing else. */
  problems: Schema.Array(Problem),
  warnings: Schema.Array(Warning),
  /** Null without a policy. */
  effect: Schema.NullOr(PolicyEffect),
  /** What every rule of the policy says about the given number now. */
  explanation: Schema.optionalKey(Wire.ExplanationWire),
  /** The policy narrowed by the given preset: it keeps every rule of both, also for single agents. */
  narrowed: Schema.optionalKey(PolicyWire.PolicyWire)
})

export const Preset = snakeKeys(Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  policy: PolicyWire.PolicyWire,
  holidays: Schema.optionalKey(Schema.String),
  notes: Schema.Array(Schema.String),
  confidence: Schema.Literals(["high", "medium", "low", "derived"]),
  sources: Schema.Array(Schema.String),
  asOf: Schema.String
}))

export const Presets = Schema.Struct({ ...all(Preset).fields, disclaimer: Schema.String })

/** Decoded by the rules of policies, so that every problem has its path. */
const Document = Schema.Any

const PutPolicy = RequestFields.body("PutPolicy", Schema.Struct({ policy: Document }))

const PreviewPolicy = RequestFields.body(
  "PreviewPolicy",
  Schema.Struct({
    policy: Document,
    /** Also compares with this preset. */
    preset: Schema.optionalKey(Schema.String),
    /** Whose rules hold for the number. Default: those of the account. */
    agentId: Schema.optionalKey(Ids.AgentId),
    phoneNumber: Schema.optionalKey(PhoneNumber.WrittenNumber),
    /** The zone that the callee is in. */
    timeZone: Schema.optionalKey(Policy.TimeZoneName)
  })
)

export const PolicyGroup = HttpApiGroup.make("policy")
  .add(
    HttpApiEndpoint.get("get", "/accounts/:account/policy", {
      params: inAccount,
      query: RequestFields.noQuery,
      success: AccountPolicy,
      error: ApiErrors.declare("not_found", "unavailable")
    }).annotate(MinimumRole, "viewer"),
    HttpApiEndpoint.put("put", "/accounts/:account/policy", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: PutPolicy,
      success: AccountPolicy,
      error: ApiErrors.declare("invalid_request", "not_found", "unavailable")
    }).middleware(RequestBody.RequestBody).annotate(MinimumRole, "admin"),
    HttpApiEndpoint.post("preview", "/accounts/:account/policy/preview", {
      params: inAccount,
      query: RequestFields.noQuery,
      payload: PreviewPolicy,
      success: PolicyPreview,
      error: ApiErrors.declare("agent_not_found", "invalid_request", "not_found", "unavailable")
    }).middleware(RequestBody.RequestBody).annotate(MinimumRole, "viewer"),
    HttpApiEndpoint.get("presets", "/accounts/:account/policy/presets", {
      params: inAccount,
      query: RequestFields.noQuery,
      success: Presets
    }).annotate(MinimumRole, "viewer")
  )
  .middleware(Roles)
  .middleware(ConsoleAuthorization)
  .middleware(Middleware.ErrorEnvelope)
