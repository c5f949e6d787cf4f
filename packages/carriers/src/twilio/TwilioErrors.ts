/**
 * What Twilio's response to the request for a call proves. Twilio has no idempotency key for calls, so everything that is not proven counts
 * as a phone that may ring: time-outs, lost connections, 5xx, and errors that are not Twilio's own, such as those of a proxy.
 * https://www.twilio.com/docs/api/errors
 */
import { Telephony } from "@outdial/core"
import { Option, Schema } from "effect"
import * as SingleRequest from "../request/SingleRequest.ts"

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
const notAuthorized: ReadonlySet<number> = new Set([20003, 20005, 20006, 20404])

/** The failure of a dial by a response that is no success. */
export const failureOf = (status: number, body: string): Telephony.DialFailed => {
  const error = Option.getOrUndefined(decodeError(body))
  const cause = error === undefined
    ? new Error(`Twilio, or something before it, has answered with status ${status}`)
    : new TwilioError({ code: error.code, description: SingleRequest.withoutDetails(error.message) })
  const failed = (reason: Telephony.DialFailed["reason"]) => new Telephony.DialFailed({ reason, cause })
  // 408 may come after the request was processed.
  if (error === undefined || status < 400 || status >= 500 || status === 408) return failed("unknown")
  if (status === 429 || noCapacity.has(error.code)) return failed("unavailable")
  const reason = notAuthorized.has(error.code) ? "not_authorized" : "refused"
  return new Telephony.DialFailed({
    reason,
    cause,
    carrierReason: { code: String(error.code), message: error.message }
  })
}

/** The failure of a dial that got no response. */
export const failureWithout = (cause: unknown): Telephony.DialFailed => SingleRequest.failureWithout("Twilio", cause)

/** What went wrong, without the request. */
export const withoutRequest = (cause: unknown): Error => SingleRequest.withoutRequest("Twilio", cause)
