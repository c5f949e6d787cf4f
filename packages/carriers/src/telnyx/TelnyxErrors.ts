/**
 * What Telnyx's response to the request for a call proves. Everything that is not proven counts as a phone that may ring: time-outs, lost
 * connections, 5xx, errors that are not Telnyx's own, and those that a second request with the same `command_id` may get, which is not
 * documented. https://developers.telnyx.com/development/api-fundamentals/api-errors
 */
import { Telephony } from "@outdial/core"
import { Option, Schema } from "effect"
import * as SingleRequest from "../request/SingleRequest.ts"

/** The body of an error of Telnyx's API. A proxy's has no such codes. */
const ApiErrors = Schema.Struct({
  errors: Schema.NonEmptyArray(Schema.Struct({
    code: Schema.String.check(Schema.isPattern(/^\d{5}$/)),
    title: Schema.String,
    detail: Schema.optionalKey(Schema.NullOr(Schema.String))
  }))
})

const decodeErrors = Schema.decodeUnknownOption(Schema.fromJsonString(ApiErrors))

/** An error that Telnyx's API has answered with. */
export class TelnyxError extends Schema.TaggedError<TelnyxError>()("TelnyxError", {
  code: Schema.String,
  description: Schema.String
}) {
  override get message(): string {
    return `Telnyx has answered with error ${this.code}: ${this.description}`
  }
}

/** The first error in the body of a response, if it is Telnyx's own. */
export const decodeError = (body: string): TelnyxError | undefined =>
  Option.getOrUndefined(
    Option.map(decodeErrors(body), ({ errors: [{ code, detail, title }] }) =>
      new TelnyxError({ code, description: SingleRequest.withoutDetails(detail ?? title) }))
  )

/** The credentials, or an unpaid bill. The operator must act, and no call is at fault. */
const notAuthorized: ReadonlySet<number> = new Set([401, 402])

/** Too many requests, and too many dials per second. Both are rejected, and wait in no queue. */
const noCapacity: ReadonlySet<string> = new Set(["10011", "90103"])

/** Unexpected, timed out, and duplicate: the call may have been placed, by this request or by one before it. */
const unproven: ReadonlySet<string> = new Set(["10007", "10008", "10012"])

/** The general errors: the request cannot be understood, or names what does not exist. */
const isGeneral = (code: string): boolean => code.startsWith("10")

/** The failure of a dial by a response that is no success. */
export const failureOf = (status: number, body: string): Telephony.DialFailed => {
  const cause = decodeError(body)
  if (cause === undefined) {
    return new Telephony.DialFailed({
      reason: "unknown",
      cause: new Error(`Telnyx, or something before it, has answered with status ${status}`)
    })
  }
  const failed = (reason: Telephony.DialFailed["reason"]) => new Telephony.DialFailed({ reason, cause })
  if (status < 400 || status >= 500 || status === 408 || unproven.has(cause.code)) return failed("unknown")
  // A permission may be that of the account, of a number, or of a country.
  const carrierReason = { code: cause.code, message: cause.description }
  if (status === 403) return new Telephony.DialFailed({ reason: "unavailable", cause, carrierReason })
  if (status === 429 || noCapacity.has(cause.code)) return failed("unavailable")
  if (notAuthorized.has(status)) return new Telephony.DialFailed({ reason: "not_authorized", cause, carrierReason })
  if (!isGeneral(cause.code)) return failed("unknown")
  return new Telephony.DialFailed({ reason: "refused", cause, carrierReason })
}

/** 10005 and 10015 may name a connection that does not exist, 10010 a permission of the account. */
const ofAccount: ReadonlySet<string> = new Set(["10005", "10010", "10015"])

/** Whether nothing rang, and the fault may be the operator's, so that every other call would fail too. */
export const mayBeOfAccount = ({ cause, reason }: Telephony.DialFailed): boolean =>
  (reason === "refused" || reason === "unavailable") && cause instanceof TelnyxError && ofAccount.has(cause.code)

/** The failure of a dial that got no response. */
export const failureWithout = (cause: unknown): Telephony.DialFailed => SingleRequest.failureWithout("Telnyx", cause)

/** What went wrong, without the request. */
export const withoutRequest = (cause: unknown): Error => SingleRequest.withoutRequest("Telnyx", cause)
