/**
 * What Twilio's response to the request for a call proves. Twilio has no idempotency key for calls, so everything that is not proven counts
 * as a phone that may ring: time-outs, lost connections, 5xx, and errors that are not Twilio's own, such as those of a proxy.
 * https://www.twilio.com/docs/api/errors
 */
import { Telephony } from "@outdial/core"
import { Option, Schema } from "effect"

/** The body of an error of Twilio's API. A proxy's has no such code and link. */
const ApiError = Schema.Struct({
  code: Schema.Int.check(Schema.isBetween({ minimum: 10_000, maximum: 99_999 })),
  message: Schema.String,
  more_info: Schema.String.check(Schema.isStartingWith("https://www.twilio.com/docs/")),
  status: Schema.Int
})

/** The error in the body of a response, if it is Twilio's own. */
export const decodeError: (body: string) => Option.Option<typeof ApiError.Type> = Schema.decodeUnknownOption(
  Schema.fromJsonString(ApiError)
)

/** An error that Twilio's API has answered with. */
export class TwilioError extends Schema.TaggedError<TwilioError>()("TwilioError", {
  code: Schema.Int,
  description: Schema.String
}) {
  override get message(): string {
    return `Twilio has answered with error ${this.code}, see https://www.twilio.com/docs/api/errors/${this.code}: ${this.description}`
  }
}

/** Requests that were never processed: too many, the queue of calls is full, too many calls at once. */
const noCapacity: ReadonlySet<number> = new Set([20429, 22005, 10004])

/** The credentials, the account or its permission. The operator must act, and no call is at fault. */
const ofOperator: ReadonlySet<number> = new Set([20003, 20005, 20006, 20404])

/** Whether the operator must act: no call is at fault. */
export const isOfOperator = ({ cause }: Telephony.DialFailed): boolean =>
  cause instanceof TwilioError && ofOperator.has(cause.code)

/** The failure of a dial by a response that is no success. */
export const failureOf = (status: number, body: string): Telephony.DialFailed => {
  const error = Option.getOrUndefined(decodeError(body))
  const cause = error === undefined
    ? new Error(`Twilio, or something before it, has answered with status ${status}`)
    : new TwilioError({ code: error.code, description: withoutDetails(error.message) })
  const failed = (reason: Telephony.DialFailed["reason"]) => new Telephony.DialFailed({ reason, cause })
  // 408 may come after the request was processed.
  if (error === undefined || status < 400 || status >= 500 || status === 408) return failed("unknown")
  if (status === 429 || noCapacity.has(error.code) || ofOperator.has(error.code)) return failed("unavailable")
  const carrierReason = { code: String(error.code), message: error.message }
  return new Telephony.DialFailed({ reason: "refused", cause, carrierReason })
}

/** Messages name the numbers of the call, and its addresses with their tokens, which no log may have. */
const withoutDetails = (message: string): string =>
  message.replaceAll(/\S*:\/\/\S*/gu, "(address)").replaceAll(/\+?\d[\d\s().-]{5,}\d/gu, "(number)")

/** Errors of connections that end before the request is written: nothing has reached Twilio. */
const beforeRequest: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/** The failure of a dial that got no response. */
export const failureWithout = (cause: unknown): Telephony.DialFailed =>
  new Telephony.DialFailed({
    reason: codesOf(cause).some((code) => beforeRequest.has(code)) ? "unavailable" : "unknown",
    cause: withoutRequest(cause)
  })

/** What went wrong, without the request, which has the number of the call and the credentials. */
export const withoutRequest = (cause: unknown): Error => {
  const [code] = codesOf(cause).filter((one) => typeof one === "string")
  return new Error(`Twilio has not answered as expected${code === undefined ? "" : ` (${code})`}`)
}

/** A connection that was open can fail as one that was not: after the request was written, the network may become unreachable. */
const isOfOpen = (cause: object): cause is { readonly syscall: "read" | "write" } =>
  "syscall" in cause && (cause.syscall === "read" || cause.syscall === "write")

/** The codes of an error and of its causes. */
const codesOf = (cause: unknown): ReadonlyArray<unknown> => {
  if (typeof cause !== "object" || cause === null) return []
  const code = "code" in cause ? [isOfOpen(cause) ? `${cause.syscall} ${String(cause.code)}` : cause.code] : []
  // A connection that was tried with several addresses has an error for each: one that may have been written decides.
  if ("errors" in cause && Array.isArray(cause.errors)) {
    const all = cause.errors.map(codesOf)
    return all.every((codes) => codes.some((one) => beforeRequest.has(one))) ? all.flat() : []
  }
  return [...code, ..."cause" in cause ? codesOf(cause.cause) : [], ..."reason" in cause ? codesOf(cause.reason) : []]
}
