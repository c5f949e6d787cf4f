/**
 * The error envelope (spec §7; `docs/decisions.md`, errors): every code with its HTTP status, and the engine's errors in wire
 * format.
 */
import { type ConsoleRole, type Errors, Example, FieldDocs, FieldPath, Limits, type Readiness } from "@outdial/core"
import { Data, DateTime, Effect, Schema, SchemaTransformation } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import * as HttpMetrics from "./HttpMetrics.ts"
import { RequestId } from "./RequestId.ts"

const { field } = FieldDocs

/** The engine's errors that handlers can get. */
export type EngineError =
  | Errors.BatchRefused
  | Errors.BatchRefused["reason"]
  | Errors.CallNotCancelable
  | Errors.CallNotLive
  | Errors.CallRefused
  | Errors.EventExpired
  | Errors.NotFound
  | Errors.RateLimited
  | Errors.RefusalReason
  | Errors.RotationLimitReached
  | Errors.TooManyStreams
  | Errors.Unauthenticated
  | Errors.Unavailable
  | Errors.WebhookDisabled
  | Errors.WebhookUrlNotAllowed

type Leaf = Exclude<EngineError, Errors.BatchRefused | Errors.CallRefused>

/** The HTTP status of every code. */
export const statuses = {
  invalid_json: 400,
  invalid_request: 400,
  batch_too_large: 400,
  webhook_url_not_allowed: 400,
  link_invalid: 401,
  unauthenticated: 401,
  cross_origin_request: 403,
  insufficient_role: 403,
  insufficient_scope: 403,
  not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  call_already_queued: 409,
  call_not_cancelable: 409,
  call_not_live: 409,
  idempotency_key_in_use: 409,
  number_limit_reached: 409,
  rotation_limit_reached: 409,
  webhook_disabled: 409,
  event_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  agent_not_found: 422,
  idempotency_key_reused: 422,
  missing_variables: 422,
  number_do_not_call: 422,
  number_not_allowed: 422,
  rate_limited: 429,
  too_many_streams: 429,
  internal_error: 500,
  unavailable: 503
} as const satisfies Record<Leaf["code"], number> & Record<string, number>

/** All error codes. Codes are never removed. */
export type ErrorCode = keyof typeof statuses

const Detail = Schema.Struct({
  param: field(Schema.String, "JSON Pointer to it.", "/phone_number"),
  message: field(Schema.String, "What is wrong with it.", "phone_number is required")
})

const strings = Schema.optionalKey(Schema.Array(Schema.String))
const optional = {
  param: field(Schema.optionalKey(Schema.String), "JSON Pointer to the problem.", "/phone_number"),
  location: field(
    Schema.optionalKey(Schema.Literals(["body", "query", "path", "header"])),
    "Which part of the request `param` points into.",
    "body"
  ),
  errors: field(Schema.optionalKey(Schema.Array(Detail)), "All problems, at most 20.", [{
    param: "/phone_number",
    message: "phone_number is required"
  }]),
  call_id: field(Schema.optionalKey(Schema.String), "The call in question.", Example.callId),
  call_status: field(Schema.optionalKey(Schema.String), "The status of the call.", "in_progress"),
  batch_id: field(Schema.optionalKey(Schema.String), "The batch in question.", Example.batchId),
  retry_at: field(
    Schema.optionalKey(Schema.String.annotate({ description: "An instant" })),
    "When the same request may succeed.",
    "2026-03-03T10:00:00.000Z"
  ),
  missing: field(strings, "Variables that the agent's script needs.", ["appointment"]),
  required_scopes: field(strings, "The scopes that the request needs.", ["calls:write"]),
  reasons: field(
    strings,
    "Only from `/readyz`: the reasons, of `draining`, `storage_unavailable`, `migrations_pending` and `clock_uncertain`.",
    ["draining"]
  ),
  max_rows: field(Schema.optionalKey(Schema.Int), "Maximum number of rows of a batch.", Limits.batchRows),
  max_bytes: field(Schema.optionalKey(Schema.Int), "Maximum size of the body, in bytes.", Limits.bodyBytes)
}

const Details = Schema.Struct(optional)
export type Details = typeof Details.Type

/** An error as callers of the API see it. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Data.Error<{
  readonly code: ErrorCode
  readonly message: string
  readonly details?: Details
  /** Response headers that belong to the error, in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** On the client's side: the id that the service gave the request. */
  readonly requestId?: string
}> {
  // Narrows the field to the code that this error was made with.
  declare readonly code: Code
}

const make = <const Code extends ErrorCode>(
  code: Code,
  message: string,
  rest: { readonly details?: Details; readonly headers?: Readonly<Record<string, string>> } = {}
): ApiError<Code> => new ApiError<Code>({ code, message, ...rest })

/** The error envelope. */
export const envelope = (
  { code, details, message }: Pick<ApiError, "code" | "details" | "message">,
  requestId: string
) => ({
  error: { code, message, request_id: requestId, ...details }
})

const errorOf = <S extends Schema.Schema<ErrorCode>>(codes: S) =>
  field(
    Schema.Struct({
      code: field(codes, "Stable; use it in programs. More may be added.", "not_found"),
      message: field(
        Schema.String,
        "The problem and what to do, for humans. It may change.",
        "There is no call call_0"
      ),
      request_id: field(
        Schema.String,
        "Also in the header `X-Request-Id`. Quote it when you report a problem.",
        "req_4k2j9x7m1q8w5e3r6t0y"
      ),
      ...optional
    }),
    "What went wrong.",
    { code: "not_found", message: "There is no call call_0", request_id: "req_4k2j9x7m1q8w5e3r6t0y" }
  )

/**
 * The declared errors of an endpoint: one schema per status. A handler that fails with an undeclared error does not compile.
 */
export const declare = <const Codes extends ReadonlyArray<ErrorCode>>(...codes: Codes) =>
  [...new Set(codes.map((code) => statuses[code]))].map((status) => {
    const ofStatus = codes.filter((code) => statuses[code] === status)
    const isOne = (value: unknown): value is ApiError<Codes[number]> =>
      value instanceof ApiError && ofStatus.includes(value.code)
    return Schema.Struct({ error: errorOf(Schema.Literals(ofStatus)) }).pipe(
      Schema.decodeTo(
        Schema.declare(isOne),
        SchemaTransformation.transform({
          decode: ({ error: { code, message, request_id, ...details } }): ApiError<Codes[number]> =>
            new ApiError({ code, message, requestId: request_id, details }),
          encode: (error) => envelope(error, error.requestId ?? "")
        })
      ),
      HttpApiSchema.status(status)
    )
  })

/** The response of an error. */
export const respond = (error: ApiError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.gen(function*() {
    yield* HttpMetrics.failed(error.code)
    return HttpServerResponse.jsonUnsafe(envelope(error, yield* RequestId), {
      status: statuses[error.code],
      headers: error.headers ?? {}
    })
  })

type CodeOf<E> = E extends Errors.BatchRefused | Errors.CallRefused ? E["reason"]["code"]
  : E extends { readonly code: infer Code extends ErrorCode } ? Code
  : never

/** An engine's error in wire format. */
export const from = <E extends EngineError>(error: E): ApiError<CodeOf<E>> =>
  // `fromLeaf` keeps the code of what it is given, which is what the type says.
  fromLeaf(error._tag === "CallRefused" || error._tag === "BatchRefused" ? error.reason : error as Leaf) as ApiError<
    CodeOf<E>
  >

/** The same, for problems in the path or the query. */
export const fromAt = (location: "path" | "query") => <E extends EngineError>(error: E): ApiError<CodeOf<E>> => {
  const made = from(error)
  if (made.code !== "invalid_request") return made
  return make(made.code, made.message, { details: { ...made.details, location } })
}

/** The message of an error, with the field, header and path names of the HTTP API. */
export const messageOf = (error: Leaf): string => {
  switch (error._tag) {
    case "AgentNotFound":
      return `agent_id ${error.agentId} is not one of your agents; GET /v1/agents lists them`
    case "EventExpired":
      return `The ${error.what} is no longer kept; GET /v1/calls/{id} shows how the call ended`
    case "IdempotencyKeyInUse":
    case "IdempotencyKeyReused":
      return error.message.replace("idempotency key", "Idempotency-Key")
    case "NotFound":
      return error.message.replace("set one with webhook.set", "PUT /v1/webhook sets one")
    case "NumberDoNotCall":
    case "NumberNotAllowed":
      return error.message.replace("The number", "phone_number")
    case "RotationLimitReached":
      return error.message.replace("give gracePeriodSeconds", "send grace_period_seconds")
    case "Unauthenticated":
      if (error.why === "missing") return "Send your API key in the X-API-Key header, or as Authorization: Bearer"
      if (error.why !== "conflicting") return error.message
      return "The request carries more than one key; send one, in X-API-Key or in Authorization"
    case "WebhookDisabled":
      return error.message.replace("webhook.set", "PUT /v1/webhook")
    default:
      return error.message
  }
}

const fromLeaf = (error: Leaf): ApiError => {
  const { code } = error
  const message = messageOf(error)
  switch (error._tag) {
    case "InvalidRequest":
      return invalidRequest(
        "body",
        error.problems.map(({ message, path }) => ({
          message: FieldPath.wireMessage(message),
          path: FieldPath.wireNames(path)
        }))
      )
    case "BatchTooLarge":
      return make(code, message, { details: { param: "/calls", location: "body", max_rows: error.maxRows } })
    case "WebhookUrlNotAllowed":
      return make(code, message, { details: { param: "/url", location: "body" } })
    case "AgentNotFound":
      return make(code, message, { details: { param: "/agent_id", location: "body" } })
    case "NumberDoNotCall":
    case "NumberNotAllowed":
      return make(code, message, { details: { param: "/phone_number", location: "body" } })
    case "MissingVariables":
      return make(code, message, { details: { param: "/variables", location: "body", missing: error.missing } })
    case "CallAlreadyQueued":
    case "CallNotLive":
      return make(code, message, { details: { call_id: error.callId } })
    case "CallNotCancelable":
      return make(code, message, { details: { call_id: error.callId, call_status: error.callStatus } })
    case "NumberLimitReached":
    case "RotationLimitReached":
      return make(code, message, { details: { retry_at: DateTime.formatIso(error.retryAt) } })
    case "IdempotencyKeyReused":
      return make(code, message, {
        details: {
          ...(error.callId !== undefined && { call_id: error.callId }),
          ...(error.batchId !== undefined && { batch_id: error.batchId })
        }
      })
    case "IdempotencyKeyInUse":
      return make(code, message, { headers: { "retry-after": "1" } })
    case "Unauthenticated":
      return make(code, message, {
        // A session has no scheme of this header.
        headers: error.why === "session"
          ? {}
          : { "www-authenticate": error.why === "missing" ? "Bearer" : "Bearer error=\"invalid_token\"" }
      })
    case "RateLimited":
      return make(code, message, { headers: { "retry-after": String(error.retryAfter) } })
    case "Unavailable":
      return make(code, message, { headers: { "retry-after": "5" } })
    case "EventExpired":
    case "NotFound":
    case "TooManyStreams":
    case "WebhookDisabled":
      return make(code, message)
    default:
      return error satisfies never
  }
}

/** Maximum number of problems in a response. */
const listed = 20

/** The request is invalid. The first problem is the message. Paths are in the names of the request. */
export const invalidRequest = (
  location: NonNullable<Details["location"]>,
  problems: ReadonlyArray<Errors.Problem>,
  headers: Readonly<Record<string, string>> = {}
): ApiError<"invalid_request"> => {
  const errors = problems.slice(0, listed).map(({ message, path }) => {
    const name = path.length === 0 ? `The ${location}` : FieldPath.pathText(path)
    // The domain's messages follow the field's name; the decoder's are complete sentences.
    return { param: FieldPath.toPointer(path), message: `${name}${/^[a-z]/.test(message) ? "" : ":"} ${message}` }
  })
  const [first] = errors
  return make("invalid_request", first?.message ?? "The request is not valid", {
    details: { ...(first !== undefined && { param: first.param }), location, errors },
    headers
  })
}

/** The key lacks a scope: it needs one or all of `scopes`. */
export const insufficientScope = (scopes: ReadonlyArray<string>, needed: "one" | "all") =>
  make(
    "insufficient_scope",
    `This needs the scope ${scopes.join(needed === "one" ? " or " : " and ")}`,
    {
      details: { required_scopes: scopes },
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"` }
    }
  )

/** The console's user needs a higher role. */
export const insufficientRole = (role: ConsoleRole.Role) => make("insufficient_role", `This needs the role ${role}`)

/** The console's user may see one account, and the request concerns all. */
export const oneAccountOnly = make(
  "insufficient_role",
  "This concerns all accounts, and you have access to one. Ask for a link for all accounts"
)

/** The console's user has as many pages open as may be. */
export const tooManyPages = (most: number) =>
  make("too_many_streams", `This session has ${most} pages open already; close one of them`)

/** The console's user does too much at once, such as "hold 3 conversations". */
export const tooManyAtOnce = (what: string) =>
  make("rate_limited", `You can ${what} at a time; try again when one is over`, { headers: { "retry-after": "10" } })

/** The console's users are the host's, who would open a link in vain. */
export const linksUnused = make(
  "not_found",
  "The application that has this console signs its users in itself, so a link opens nothing here"
)

/** A link of the console is unknown, used or expired. They look the same to those who guess. */
export const linkInvalid = make(
  "link_invalid",
  "This link is not valid: each works once, for ten minutes. Ask an administrator of the console for another, or run: outdial console link"
)

/** A request of the console that changes something lacks its header, or comes from a page of another origin. */
export const forgedInConsole = make(
  "cross_origin_request",
  "Only the console's page may send this request, with the header outdial-console: 1"
)

export const crossOrigin = make(
  "cross_origin_request",
  "A browser sent this request for a page of another origin, which may not change anything here. Send it from a page of the application's own origin, or add the page's origin to allowedOrigins"
)

/** A field where the request has none. */
export const unknownFields = (names: ReadonlyArray<string>) =>
  invalidRequest(
    "body",
    names.map((name) => ({ path: [name], message: "is not a known field; this request takes none" }))
  )

export const invalidJson = (why: string) => make("invalid_json", `The request body ${why}`)

export const unsupportedMediaType = make(
  "unsupported_media_type",
  "Send the body as JSON in UTF-8, with Content-Type: application/json and no Content-Encoding"
)

export const payloadTooLarge = (maxBytes: number) =>
  make("payload_too_large", `The request body may have at most ${maxBytes} bytes`, {
    details: { max_bytes: maxBytes },
    // The rest of the body is not read.
    headers: { connection: "close" }
  })

export const requestTimeout = make("request_timeout", "The request body did not arrive in time; send it again", {
  headers: { connection: "close" }
})

/** `base` is the base path of the API. */
export const routeNotFound = (base = "") =>
  make("route_not_found", `There is no such path; GET ${base}/openapi.json lists them all`)

export const methodNotAllowed = (allowed: ReadonlyArray<string>) =>
  make("method_not_allowed", `This path takes ${allowed.join(", ")}`, { headers: { allow: allowed.join(", ") } })

export const internalError = make(
  "internal_error",
  "Something went wrong on our side; quote the request id when you report it"
)

/** Why the process is not ready for requests. */
export const notReady = (
  reasons: ReadonlyArray<Readiness.NotReady>,
  meaningOf: (reason: Readiness.NotReady) => string
) =>
  make("unavailable", `Not ready: ${reasons.map(meaningOf).join("; ")}`, {
    details: { reasons },
    headers: { "retry-after": "5" }
  })

export const unavailable = make("unavailable", "The service is stopping; try again in a few seconds", {
  headers: { "retry-after": "5" }
})
