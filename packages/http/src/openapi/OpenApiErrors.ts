/**
 * When each error code occurs and what to do about it, with an example of the envelope. The OpenAPI document and
 * `docs/reference/errors.md` are generated from it.
 */
import { Errors, Ids, Limits } from "@outdial/core"
import { DateTime } from "effect"
import * as ApiErrors from "../edge/ApiErrors.ts"

export interface ErrorText {
  readonly when: string
  readonly todo: string
  /** An error of this code, for the example. */
  readonly example: ApiErrors.ApiError
  /** Fields that the example lacks, and the errors that have them. */
  readonly elsewhere?: { readonly [Field in keyof ApiErrors.Details]: string }
}

const eventId = "evt_01KCA6ZJ6QK4D8V1V7N3R2T5WX"
const callId = Ids.CallId.make("call_01KCA6ZJ6QK4D8V1V7N3R2T5WX")
const agentId = Ids.AgentId.make("7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11")
const requestId = "req_4k2j9x7m1q8w5e3r6t0y"
const later = DateTime.makeUnsafe("2026-03-03T10:00:00.000Z")

/** Every code must have an entry; the type requires it. */
export const texts: { readonly [Code in ApiErrors.ErrorCode]: ErrorText } = {
  invalid_json: {
    when: "The body is not a JSON object in UTF-8, or is nested too deep.",
    todo: "Send one JSON object.",
    example: ApiErrors.invalidJson("must be a JSON object")
  },
  invalid_request: {
    when:
      "A field, a query parameter, a header or the id in the path is missing or wrong, or a header that may be sent once is sent twice. `errors` lists everything at once.",
    todo: "Correct what `param` and `errors` point to.",
    example: ApiErrors.invalidRequest("body", [{ path: ["phone_number"], message: "is required" }])
  },
  batch_too_large: {
    when: "A batch has more than 1,000 rows.",
    todo: "Split it into several batches.",
    example: ApiErrors.from(new Errors.BatchTooLarge({ maxRows: Limits.batchRows }))
  },
  webhook_url_not_allowed: {
    when:
      "Events cannot be sent to this address: it is not https, has another port than 443 or 8443, is not public, or is not written exactly as it is requested.",
    todo: "Use an https address with a public name. Where the message gives another spelling, send that.",
    example: ApiErrors.from(new Errors.WebhookUrlNotAllowed({ why: "must begin with https://" }))
  },
  link_invalid: {
    when: "Only in the console: the link is unknown, used, or older than ten minutes.",
    todo: "Ask an administrator of the console for another, or run `outdial console link`.",
    example: ApiErrors.linkInvalid
  },
  unauthenticated: {
    when:
      "The key is missing, mistyped, unknown, expired or revoked, or two headers carry different keys, or a header with one is sent twice.",
    todo: "Send one valid key, in `X-API-Key` or as `Authorization: Bearer`.",
    example: ApiErrors.from(new Errors.Unauthenticated({ why: "missing" }))
  },
  cross_origin_request: {
    when:
      "Only in an application that authenticates its own users: according to `Sec-Fetch-Site` or `Origin`, a browser sent a request that may change data for a page of another origin. Nothing was done.",
    todo: "Send it from a page of the application's own origin, or have the application allow the page's origin.",
    example: ApiErrors.crossOrigin
  },
  insufficient_role: {
    when:
      "Only in the console: the user's role does not allow it, or it concerns all accounts and the user may see one.",
    todo: "Use a link with a higher role, or one for all accounts.",
    example: ApiErrors.insufficientRole("operator")
  },
  insufficient_scope: {
    when: "The key is valid, but lacks a scope that the request needs.",
    todo: "Use a key with one of the scopes in `required_scopes`, or with all of them if the message says so.",
    example: ApiErrors.insufficientScope(["calls:write"], "one")
  },
  not_found: {
    when: "Nothing in your account has this id.",
    todo: "Check the id, and that the key is for the right account.",
    example: ApiErrors.from(new Errors.NotFound({ what: `call ${callId}` }))
  },
  route_not_found: {
    when: "The path does not exist.",
    todo: "Check the path; every path of the API begins with `/v1`.",
    example: ApiErrors.routeNotFound()
  },
  method_not_allowed: {
    when: "The path exists, but does not support this method.",
    todo: "Use a method that the header `Allow` lists.",
    example: ApiErrors.methodNotAllowed(["GET", "POST"])
  },
  request_timeout: {
    when: "The body did not arrive in time. Nothing was done.",
    todo: "Send the request again.",
    example: ApiErrors.requestTimeout
  },
  call_already_queued: {
    when: "A call to this number is already queued; `call_id` names it.",
    todo: "Wait for that call, or cancel it first.",
    example: ApiErrors.from(new Errors.CallAlreadyQueued({ callId }))
  },
  call_not_cancelable: {
    when: "The call is no longer `queued`; `call_status` gives its status.",
    todo: "Nothing. A call that is being dialed or has ended cannot be canceled.",
    example: ApiErrors.from(new Errors.CallNotCancelable({ callId, callStatus: "in_progress" }))
  },
  call_not_live: {
    when: "Only in the console: the call to hang up is still `queued`.",
    todo: "Cancel it instead.",
    example: ApiErrors.from(new Errors.CallNotLive({ callId }))
  },
  idempotency_key_in_use: {
    when: "The first request with this `Idempotency-Key` is still in progress.",
    todo: "Send the same request again after `Retry-After` seconds.",
    example: ApiErrors.from(new Errors.IdempotencyKeyInUse({}))
  },
  number_limit_reached: {
    when: "The number has been called as often as your limits currently allow.",
    todo: "Send the request again at `retry_at`, or not at all.",
    example: ApiErrors.from(new Errors.NumberLimitReached({ retryAt: later }))
  },
  rotation_limit_reached: {
    when: "The maximum number of previous secrets is still valid.",
    todo: "Wait until `retry_at`, or send `grace_period_seconds: 0`, which ends them all at once.",
    example: ApiErrors.from(new Errors.RotationLimitReached({ retryAt: later }))
  },
  webhook_disabled: {
    when: "The webhook is disabled, so nothing can be sent to it. Its events are held.",
    todo: "Set it with `enabled: true`, which sends the held events.",
    example: ApiErrors.from(new Errors.WebhookDisabled())
  },
  event_expired: {
    when: "The event happened more than 30 days ago and is no longer kept, or was erased with its callee.",
    todo: "Nothing. Get the call instead, which shows how it ended unless it was erased.",
    example: ApiErrors.from(new Errors.EventExpired({ what: `event ${eventId}` }))
  },
  payload_too_large: {
    when: "The body is larger than 256 KiB; that of a batch, larger than 16 MiB.",
    todo: "Send less: several batches, or smaller metadata.",
    example: ApiErrors.payloadTooLarge(Limits.bodyBytes)
  },
  unsupported_media_type: {
    when: "The body is compressed, or its `Content-Type` is not JSON in UTF-8.",
    todo: "Send `Content-Type: application/json`, and no `Content-Encoding`.",
    example: ApiErrors.unsupportedMediaType
  },
  agent_not_found: {
    when: "`agent_id` is not one of your agents.",
    todo: "Use an id that `GET /v1/agents` lists.",
    example: ApiErrors.from(new Errors.AgentNotFound({ agentId }))
  },
  idempotency_key_reused: {
    when: "The `Idempotency-Key` was used with another body; `call_id` or `batch_id` names the result of that request.",
    todo: "Use a new key for a new request, and the old key only to repeat the same request.",
    example: ApiErrors.from(new Errors.IdempotencyKeyReused({ callId })),
    elsewhere: { batch_id: "in place of `call_id`, of `POST /v1/batches`" }
  },
  missing_variables: {
    when: "The agent's script has placeholders without a value or a default; `missing` names them.",
    todo: "Add them to `variables`.",
    example: ApiErrors.from(new Errors.MissingVariables({ missing: ["appointment"] }))
  },
  number_do_not_call: {
    when: "The number is on your do-not-call list.",
    todo: "Do not call it. `DELETE /v1/do_not_call/{phone_number}` removes it from the list.",
    example: ApiErrors.from(new Errors.NumberDoNotCall())
  },
  number_not_allowed: {
    when:
      "The number cannot be called: it is a premium-rate number, it is not in a country that your policy allows, or your policy leaves no time for it within a year.",
    todo: "Correct the number or the policy, or leave the number out.",
    example: ApiErrors.from(new Errors.NumberNotAllowed({ why: "is a premium-rate number, which is never called" }))
  },
  rate_limited: {
    when:
      "The key made more than 300 requests in 60 seconds, a user of the host application made more than it allows, or the account sent more than 10 test events. Nothing was done.",
    todo: "Wait for `Retry-After` seconds. Start one batch instead of many calls; use the webhook instead of polling.",
    example: ApiErrors.from(new Errors.RateLimited({ limit: Limits.requestsPerMinute, retryAfter: 17 }))
  },
  too_many_streams: {
    when: "The key, or the user of the host application, already follows 10 transcripts in this process.",
    todo: "Close a stream first. To watch more calls at once, read their transcripts in turn.",
    example: ApiErrors.from(new Errors.TooManyStreams({ limit: Limits.followedTranscripts }))
  },
  internal_error: {
    when: "An internal error. The request may have been carried out.",
    todo: "Repeat the request with the same `Idempotency-Key`; report the `request_id` if the error persists.",
    example: ApiErrors.internalError
  },
  unavailable: {
    when: "The service is stopping, cannot reach its database, or timed out waiting for a lock in the database.",
    todo: "Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key`.",
    example: ApiErrors.unavailable,
    elsewhere: { reasons: "of `GET /readyz`" }
  }
}

/** An example response with this code. */
export const exampleOf = (code: ApiErrors.ErrorCode) => ApiErrors.envelope(texts[code].example, requestId)

/** The codes of a batch's `rejected` rows. */
export const rowCodes = [
  "invalid_request",
  "agent_not_found",
  "missing_variables",
  "number_not_allowed",
  "number_do_not_call",
  "call_already_queued",
  "number_limit_reached"
] as const satisfies ReadonlyArray<ApiErrors.ErrorCode>
