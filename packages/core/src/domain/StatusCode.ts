/**
 * Why a call is waiting or did not happen: the stable codes and their texts. Codes are only added; the texts may
 * change.
 */
import { Schema } from "effect"

const reasons = {
  outside_calling_hours: "Waiting for calling hours in the callee's time zone.",
  recall_gap: "Waiting because this number was called a short while ago.",
  number_limit: "Waiting because this number has been called as often as is allowed for now.",
  daily_limit: "Waiting because the account has placed all its calls for today.",
  not_before: "Waiting until the requested time.",
  calls_per_second: "Waiting because of the limit of calls per second.",
  lines_busy: "Waiting for a free line.",
  number_busy: "Waiting because another call to this number is in progress.",
  account_paused: "Waiting because calling is paused.",
  carrier_paused: "Waiting because dialing over the carrier is paused.",
  carrier_missing: "Waiting because no running worker has the carrier that the routes chose.",
  unknown_time_zone: "Waiting because the callee's time zone is not known.",
  number_not_allowed: "Waiting because the account's calling policy does not allow this number.",
  expires_before_allowed: "Waiting, but it expires before it may be dialed.",
  policy_unreadable: "Waiting because the account's calling policy cannot be read.",
  rule_failed: "Waiting because a calling rule failed.",
  carrier_unavailable: "The carrier could not be reached, so nothing was dialed.",
  superseded: "The carrier could not be reached, and a newer call to this number is queued.",
  voicemail: "Answered by voicemail.",
  no_speech: "Answered, but the contact said nothing.",
  carrier_refused: "The carrier refused the call.",
  carrier_lost: "The carrier lost track of the call.",
  queue_expired: "Not dialed before it expired.",
  canceled_by_client: "Canceled on request.",
  do_not_call: "Not dialed because the number is on the do-not-call list."
} as const

export const StatusCode = Schema.Literals(Object.keys(reasons) as Array<keyof typeof reasons>) // the keys of a constant
export type StatusCode = typeof StatusCode.Type

export const isStatusCode = Schema.is(StatusCode)

/** The code in plain words. */
export const reason = (code: StatusCode): string => reasons[code]

/** Why an expired call was not dialed, by the code of its last hold. Other codes hold no call. */
const heldBy: { readonly [Code in StatusCode]?: string } = {
  outside_calling_hours: "it was outside calling hours in the callee's time zone",
  recall_gap: "this number was called a short while before",
  number_limit: "this number had been called as often as is allowed",
  daily_limit: "the account had placed all its calls for the day",
  not_before: "the requested time had not come",
  calls_per_second: "other calls of the account were placed first",
  lines_busy: "no line was free",
  number_busy: "another call to this number was in progress",
  account_paused: "calling was paused",
  carrier_paused: "dialing over the carrier was paused",
  carrier_missing: "no running worker had the carrier that the routes chose",
  unknown_time_zone: "the callee's time zone is not known",
  number_not_allowed: "the account's calling policy does not allow this number",
  policy_unreadable: "the account's calling policy cannot be read",
  rule_failed: "a calling rule failed",
  carrier_unavailable: "the carrier could not be reached",
  do_not_call: "the number is on the do-not-call list"
}

/** The code's text for an expired call, such as "it was outside calling hours"; absent for codes that hold no call. */
export const reasonHeld = (code: StatusCode): string | undefined => heldBy[code]
