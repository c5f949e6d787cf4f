/** The one error of the promise client: a code of the contract, and the details of the response. */
import { type FromWire, fromWire } from "./PromiseTypes.ts"
import type { Details as WireDetails, ErrorCode } from "../edge/ApiErrors.ts"

/** The contract's codes, and two that only a client can have. */
export type ClientErrorCode =
  | ErrorCode
  /** There was no response: the connection failed, or 60 seconds passed. The request may have been carried out. */
  | "connection_failed"
  /** A response that is not the service's, such as a proxy's page. */
  | "unexpected_answer"

/** The extra fields of an error, such as `callId` of `call_already_queued`. */
export type ErrorDetails = FromWire<WireDetails>

/** The error of a rejected promise. `code` is stable; the message says what to do and may change. */
export class OutdialApiError extends Error {
  override readonly name = "OutdialApiError"
  readonly code: ClientErrorCode
  /** The HTTP status; 0 if no answer came, or nothing was sent. */
  readonly status: number
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined
  /** Seconds to wait, if the service asks for it. */
  readonly retryAfter: number | undefined
  readonly details: ErrorDetails

  constructor(fields: {
    readonly code: ClientErrorCode
    readonly message: string
    readonly status: number
    readonly requestId?: string | undefined
    readonly retryAfter?: number | undefined
    readonly details?: ErrorDetails
    readonly cause?: unknown
  }) {
    super(fields.message, fields.cause === undefined ? {} : { cause: fields.cause })
    this.code = fields.code
    this.status = fields.status
    this.requestId = fields.requestId
    this.retryAfter = fields.retryAfter
    this.details = fields.details ?? {}
  }
}

/** The error of a response. */
export const fromResponse = (response: Response, body: unknown): OutdialApiError => {
  const common = { status: response.status, retryAfter: retryAfterOf(response.headers) }
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {}
  const { code, message, request_id, ...rest } = error
  if (typeof code !== "string" || typeof message !== "string") {
    return new OutdialApiError({
      ...common,
      code: "unexpected_answer",
      message: `The answer, with status ${response.status}, is not the service's; check baseUrl`,
      requestId: response.headers.get("x-request-id") ?? undefined
    })
  }
  return new OutdialApiError({
    ...common,
    // A service newer than this client may send a code that the union lacks.
    code: code as ErrorCode,
    message,
    requestId: typeof request_id === "string" ? request_id : undefined,
    // The fields of the contract, by name.
    details: fromWire(rest) as ErrorDetails
  })
}

/** An option that the client does not know; nothing was sent. */
export const optionRefused = (message: string): OutdialApiError =>
  new OutdialApiError({ code: "invalid_request", message, status: 0 })

/** There was no response. */
export const connectionFailed = (cause: unknown): OutdialApiError =>
  new OutdialApiError({
    code: "connection_failed",
    message: "No answer came from the service; see the cause",
    status: 0,
    cause
  })

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** In seconds. Ignores the date format, which only proxies send. */
const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get("retry-after")
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}
