/** What the rules decide about one call at one moment, rule by rule, with the data of each decision. */
import { Schema } from "effect"
import { CallStatus } from "./Call.ts"
import * as Example from "./Examples.ts"
import { field } from "./FieldDocs.ts"
import { CallId, CarrierName } from "./Ids.ts"
import { PhoneNumber } from "./PhoneNumber.ts"
import { StatusCode } from "./StatusCode.ts"

/** Codes that refuse a request for a call, besides the codes that hold one. */
const RefusalCode = Schema.Literals([
  "number_not_allowed",
  "number_do_not_call",
  "call_already_queued",
  "number_limit_reached"
])

const verdict = {
  rule: "outside_calling_hours",
  allows: false,
  next_allowed_at: "2026-03-03T14:00:00.000Z",
  data: { time_zones: ["America/New_York"] }
}

/** The decision of one rule. */
export const Verdict = Schema.Struct({
  rule: field(StatusCode, "The `status_code` of a call that this rule holds.", verdict.rule),
  allows: field(Schema.Boolean, "Whether the rule allows the dial, or allowed it.", verdict.allows),
  nextAllowedAt: field(
    Schema.optionalKey(Schema.DateTimeUtc),
    "The first instant at which it will allow the dial, if it does not now and the instant is known.",
    verdict.next_allowed_at
  ),
  data: field(
    Schema.Record(Schema.String, Schema.Json),
    "The data of the decision; differs from rule to rule, and may grow.",
    verdict.data
  )
})
export type Verdict = typeof Verdict.Type

export const Explanation = Schema.Struct({
  object: field(Schema.Literal("explanation"), "Always `explanation`.", "explanation"),
  at: field(Schema.DateTimeUtc, "The instant that the answer describes.", "2026-03-03T02:30:00.000Z"),
  callId: field(Schema.optionalKey(CallId), "The call. Absent in a preview.", Example.callId),
  callStatus: field(Schema.optionalKey(CallStatus), "The status of the call. Absent in a preview.", "queued"),
  carrier: field(
    Schema.optionalKey(CarrierName),
    "For a live call: the carrier that it was claimed for.",
    "simulated"
  ),
  leaseExpiresAt: field(
    Schema.optionalKey(Schema.DateTimeUtc),
    "For a live call: until when it counts as alive without a report from the carrier.",
    "2026-03-03T02:31:00.000Z"
  ),
  phoneNumber: field(PhoneNumber, "The number, in E.164 form.", Example.phoneNumber),
  timeZones: field(
    Schema.Array(Schema.String),
    "All zones that the callee may be in, each of which must be open; empty when unknown.",
    verdict.data.time_zones
  ),
  decision: field(
    Schema.Literals(["dial", "wait", "refuse", "none"]),
    "Whether the call would be dialed at this moment (`dial`), is held (`wait`), or would be refused (`refuse`, only in a preview); `none` for a call that is no longer `queued`.",
    "wait"
  ),
  code: field(
    Schema.optionalKey(Schema.Union([StatusCode, RefusalCode])),
    "The code of the hold, a `status_code`; in a preview also the code of the error that refuses the call. More may be added.",
    verdict.rule
  ),
  reason: field(
    Schema.optionalKey(Schema.String),
    "The same in plain words.",
    "Waiting for calling hours in the callee's time zone."
  ),
  scheduledFor: field(
    Schema.optionalKey(Schema.DateTimeUtc),
    "The first instant at which all rules about time allow it, when it is later and known.",
    verdict.next_allowed_at
  ),
  workerAlive: field(
    Schema.optionalKey(Schema.Boolean),
    "For a waiting call: whether any process dials calls now. When it is false, nothing is dialed, whatever the rules allow.",
    true
  ),
  decidedAt: field(
    Schema.optionalKey(Schema.DateTimeUtc),
    "For a call that is no longer `queued`: the moment of `rules`, which is that of its dial, or when the rules ended it. Absent when no rule decided, as for a call that was canceled on request.",
    "2026-03-03T14:00:00.000Z"
  ),
  rules: field(
    Schema.Array(Verdict),
    "Every rule, in order of evaluation. More may be added. For a call that is no longer `queued`: as they were at `decided_at`, without the calling hours themselves; for a call that the do-not-call list has canceled that rule alone; empty without `decided_at`.",
    [verdict]
  )
})
export type Explanation = typeof Explanation.Type
