/** What Telnyx says of a call in its webhooks and in its list of them, as the events of the engine. */
import { type CarrierEvent, Cost, Ids } from "@outdial/core"
import { DateTime, Option, Schema } from "effect"
import { instantOf } from "../call/CarrierCall.ts"

const Payload = Schema.Struct({
  call_control_id: Schema.optionalKey(Schema.String),
  call_leg_id: Schema.optionalKey(Schema.String),
  client_state: Schema.optionalKey(Schema.NullOr(Schema.String)),
  hangup_cause: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The last status of SIP, such as `486`. */
  sip_hangup_cause: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Who has answered, or how a greeting has ended. */
  result: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Why the relay has ended. */
  reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Where a recording is, for some minutes. */
  recording_urls: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))),
  /** A decimal number. */
  total_cost: Schema.optionalKey(Schema.NullOr(Schema.String)),
  cost_parts: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.Struct({ currency: Schema.optionalKey(Schema.NullOr(Schema.String)) })))
  )
})
type Payload = typeof Payload.Type

const Webhook = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    event_type: Schema.String,
    occurred_at: Schema.optionalKey(Schema.String),
    payload: Payload
  })
})

export type WebhookData = (typeof Webhook.Type)["data"]

/** The body of a webhook. */
export const decodeWebhook = Schema.decodeUnknownEffect(Schema.fromJsonString(Webhook))

/** A webhook that Telnyx has sent for a call, as its list shows it. */
export interface PastEvent {
  readonly name: string
  readonly at: DateTime.Utc | undefined
  readonly legId: string
  readonly payload: Payload
}

/** An entry of the list. Its `metadata` has the webhook in a shape that is not documented: the payload is found by its id of the call. */
export const pastEventOf = (
  entry: {
    readonly name: string
    readonly event_timestamp: string
    readonly call_leg_id: string
    readonly metadata?: unknown
  }
): PastEvent => ({
  name: entry.name,
  at: instantOf(entry.event_timestamp),
  legId: entry.call_leg_id,
  payload: payloadIn(entry.metadata, 5) ?? {}
})

const isPayload = Schema.is(Payload)

const payloadIn = (value: unknown, depth: number): Payload | undefined => {
  if (typeof value === "string") {
    return depth > 0
      ? payloadIn(Option.getOrUndefined(parse(value)), depth - 1)
      : undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  if ("call_control_id" in value && typeof value.call_control_id === "string" && isPayload(value)) return value
  if (depth === 0) return undefined
  for (const inner of Object.values(value)) {
    const found = payloadIn(inner, depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Telnyx's verdict on who has answered; none when it is not sure. */
export const kindOf = (result: string | null | undefined): "human" | "voicemail" | "fax" | undefined => {
  switch (result) {
    case "human_residence":
    case "human_business":
      return "human"
    case "machine":
      return "voicemail"
    case "fax_detected":
      return "fax"
    default:
      return undefined
  }
}

export const names = {
  initiated: "call.initiated",
  answered: "call.answered",
  hangup: "call.hangup",
  detected: "call.machine.premium.detection.ended",
  greetingEnded: "call.machine.premium.greeting.ended",
  relayEnded: "call.conversation.ended",
  recordingSaved: "call.recording.saved",
  cost: "call.cost"
} as const

/** What Telnyx charges for the call in all; none when its webhook does not say. */
export const costOf = ({ cost_parts: parts, total_cost: total }: Payload): Option.Option<Cost.Cost> =>
  Cost.read(total ?? "", parts?.find(({ currency }) => typeof currency === "string")?.currency ?? "")

/** Why the relay ends when its socket was lost. */
export const socketLost = "customer_disconnect"

/** The end of a call. Its webhook does not say when it was answered, and by whom: that is in the webhooks before it, `past`. */
export const endOf = (
  { at, payload: { hangup_cause: cause, sip_hangup_cause: status } }: Pick<PastEvent, "payload"> & {
    readonly at: DateTime.Utc
  },
  past: ReadonlyArray<PastEvent>
): CarrierEvent.Ended => {
  const end = { _tag: "Ended", at, recorded: false } as const
  const answeredAt = past.find(({ name }) => name === names.answered)?.at
  const by = answeredByOf(past)
  if (by !== undefined || wasAnswered({ hangup_cause: cause }, past)) {
    return {
      ...end,
      result: "hung_up",
      ...(answeredAt !== undefined && { answeredAt: DateTime.min(answeredAt, at) }),
      ...(by !== undefined && { answeredBy: by })
    }
  }
  const carrierReason = {
    ...(status !== null && status !== undefined && { code: status }),
    ...(cause !== null && cause !== undefined && { message: cause })
  }
  if (busy.has(status ?? "") || cause === "user_busy" || (cause === "call_rejected" && !status)) {
    return { ...end, result: "busy", carrierReason }
  }
  if (unanswered.has(status ?? "") || unansweredCauses.has(cause ?? "")) return { ...end, result: "no_answer" }
  return { ...end, result: "failed", code: "carrier_refused", carrierReason }
}

/** A call that was not answered has another cause. */
const answeredCauses: ReadonlySet<string> = new Set(["normal_clearing", "time_limit"])

/** Nobody has answered in time, or the call was canceled. */
const unansweredCauses: ReadonlySet<string> = new Set(["no_answer", "originator_cancel", "timeout"])

/** Statuses of SIP: busy here, busy everywhere, declined. */
const busy: ReadonlySet<string> = new Set(["486", "600", "603"])

/** Request time-out, temporarily unavailable, request terminated. */
const unanswered: ReadonlySet<string> = new Set(["408", "480", "487"])

const answeredByOf = (past: ReadonlyArray<PastEvent>): "human" | "voicemail" | undefined => {
  if (past.some(({ name }) => name === names.greetingEnded)) return "voicemail"
  const kind = kindOf(past.findLast(({ name }) => name === names.detected)?.payload.result)
  return kind === undefined || kind === "human" ? kind : "voicemail"
}

export const isAnswered = (past: ReadonlyArray<PastEvent>): boolean => past.some(({ name }) => name === names.answered)

/** Whether a call that has ended was answered; its past may not say so. */
export const wasAnswered = (
  { hangup_cause: cause }: { readonly hangup_cause?: string | null | undefined },
  past: ReadonlyArray<PastEvent>
): boolean => isAnswered(past) || answeredCauses.has(cause ?? "")

export const isOver = (past: ReadonlyArray<PastEvent>): boolean => past.some(({ name }) => name === names.hangup)

/** The end of a call by its past; none while it lives. */
export const endIn = (past: ReadonlyArray<PastEvent>, now: DateTime.Utc): CarrierEvent.Ended | undefined => {
  const hangup = past.find(({ name }) => name === names.hangup)
  return hangup === undefined ? undefined : endOf({ at: hangup.at ?? now, payload: hangup.payload }, past)
}

/** The event of the engine that a webhook stands for, if it is one that needs nothing else. */
export const progressOf = (
  { event_type, occurred_at, payload }: WebhookData,
  { callControlId, leavesMessage, now }: {
    readonly callControlId: string
    readonly leavesMessage: boolean
    readonly now: DateTime.Utc
  }
): CarrierEvent.CarrierEvent | undefined => {
  switch (event_type) {
    case names.initiated:
      return { _tag: "Accepted", carrierCallId: Ids.CarrierCallId.make(callControlId) }
    case names.answered:
      return { _tag: "Answered", at: instantOf(occurred_at) ?? now, by: "unknown" }
    case names.greetingEnded:
      return { _tag: "Verdict", by: "voicemail" }
    case names.detected: {
      const by = kindOf(payload.result)
      // A message is left after the greeting.
      return by === undefined || (by === "voicemail" && leavesMessage) ? { _tag: "Alive" } : { _tag: "Verdict", by }
    }
    default:
      return undefined
  }
}
