/** Errors of requests: what the server answered, or that it did not answer. */

/** One wrong field of a request. `param` is a JSON Pointer, such as `/contact/name`. */
export interface Problem {
  readonly param: string
  readonly message: string
}

/** An answer of the server with the error envelope. `code` is stable; docs/reference/errors.md lists the codes. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** All fields of the envelope. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, details: Readonly<Record<string, unknown>>) {
    super(typeof details["message"] === "string" ? details["message"] : `HTTP ${status}`)
    this.name = "ApiError"
    this.status = status
    this.code = typeof details["code"] === "string" ? details["code"] : "unknown"
    this.requestId = typeof details["request_id"] === "string" ? details["request_id"] : undefined
    this.details = details
  }

  /** The wrong fields; empty when the error is not about a field. */
  get problems(): ReadonlyArray<Problem> {
    const { errors, param } = this.details
    if (Array.isArray(errors)) return errors.filter(isProblem)
    return typeof param === "string" ? [{ param, message: this.message }] : []
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" && value !== null && "param" in value && typeof value.param === "string" &&
  "message" in value && typeof value.message === "string"

/** The server did not answer: it is down, or this device has no connection. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super("The server did not answer", { cause })
    this.name = "ConnectionLost"
  }
}

/** Whether the same request may succeed in a moment. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionLost || (error instanceof ApiError && (error.status >= 502 || error.status === 429))
