/** What the rules make of one call at one moment, rule by rule, with what each was decided from. */
import { Schema } from "effect"
import { CallStatus } from "./Call.ts"
import { CallId, CarrierName } from "./Ids.ts"
import { PhoneNumber } from "./PhoneNumber.ts"
import { StatusCode } from "./StatusCode.ts"

/** Codes of what refuses a request for a call, beside those of what holds one. */
const RefusalCode = Schema.Literals([
  "number_not_allowed",
  "number_do_not_call",
  "call_already_queued",
  "number_limit_reached"
])

/** What one rule says. */
export const Verdict = Schema.Struct({
  /** The code that a call shows when this rule is what holds it. */
  rule: StatusCode,
  allows: Schema.Boolean,
  /** While it does not allow the dial: the first instant at which it will, when that is known. */
  nextAllowedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** What it was decided from. */
  data: Schema.Record(Schema.String, Schema.Json)
})
export type Verdict = typeof Verdict.Type

export const Explanation = Schema.Struct({
  object: Schema.Literal("explanation"),
  /** The moment of which it tells. */
  at: Schema.DateTimeUtc,
  /** Absent in a preview. */
  callId: Schema.optionalKey(CallId),
  callStatus: Schema.optionalKey(CallStatus),
  /** Of a live call: the carrier that it was claimed for, and until when it counts as alive without a sign of life. */
  carrier: Schema.optionalKey(CarrierName),
  leaseExpiresAt: Schema.optionalKey(Schema.DateTimeUtc),
  phoneNumber: PhoneNumber,
  /** All zones that the callee may be in, each of which must be open; none when that is not known. */
  timeZones: Schema.Array(Schema.String),
  /** Whether the call would be dialed, or refused, at this moment. */
  decision: Schema.Literals(["dial", "wait", "refuse", "none"]),
  /** What holds it, or with which error a request for it would be refused. */
  code: Schema.optionalKey(Schema.Union([StatusCode, RefusalCode])),
  reason: Schema.optionalKey(Schema.String),
  /** The first instant at which all rules about time allow the dial, when it is later. */
  scheduledFor: Schema.optionalKey(Schema.DateTimeUtc),
  /** Of a call that waits: whether any process dials calls now. Without one nothing is dialed, whatever the rules say. */
  workerAlive: Schema.optionalKey(Schema.Boolean),
  /** In the order in which they are asked. */
  rules: Schema.Array(Verdict)
})
export type Explanation = typeof Explanation.Type
