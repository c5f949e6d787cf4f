/** What Twilio says of a call in its callbacks and in its API, as the events of the engine. */
import { type CarrierEvent, Ids } from "@outdial/core"
import { DateTime, type Effect, Schema } from "effect"
import * as TwilioApi from "./TwilioApi.ts"

const Called = { AccountSid: Schema.String, CallSid: TwilioApi.CallSid, CallStatus: TwilioApi.CallStatus }

export const decodeStatus = Schema.decodeUnknownEffect(Schema.Struct({
  ...Called,
  /** RFC 2822. */
  Timestamp: Schema.optionalKey(Schema.String),
  /** Seconds. `Duration` has minutes. */
  CallDuration: Schema.optionalKey(Schema.String),
  AnsweredBy: Schema.optionalKey(Schema.String)
}))

export const decodeVerdict = Schema.decodeUnknownEffect(Schema.Struct({
  AccountSid: Schema.String,
  CallSid: TwilioApi.CallSid,
  AnsweredBy: Schema.String
}))

export const decodeAction = Schema.decodeUnknownEffect(Schema.Struct({
  ...Called,
  SessionStatus: Schema.optionalKey(Schema.String),
  HandoffData: Schema.optionalKey(Schema.String)
}))

type StatusForm = Effect.Success<ReturnType<typeof decodeStatus>>

export const eventOf = (form: StatusForm, at: DateTime.Utc): CarrierEvent.CarrierEvent => {
  switch (form.CallStatus) {
    case "queued":
    case "initiated":
      return { _tag: "Accepted", carrierCallId: Ids.CarrierCallId.make(form.CallSid) }
    case "ringing":
      return { _tag: "Ringing" }
    case "in-progress":
      return { _tag: "Answered", at, by: "unknown" }
    default:
      return endOf({ status: form.CallStatus, at, duration: form.CallDuration, answered_by: form.AnsweredBy })
  }
}

interface End {
  readonly status: TwilioApi.CallStatus
  readonly at: DateTime.Utc
  readonly duration?: string | null | undefined
  readonly answered_by?: string | null | undefined
}

/** Only a call that was answered is `completed`. One that we have canceled was not answered. */
export const endOf = ({ answered_by, at, duration, status }: End): CarrierEvent.Ended => {
  const end = { _tag: "Ended", at, recorded: false } as const
  switch (status) {
    case "completed": {
      const seconds = Number(duration ?? 0) || 0
      const kind = kindOf(answered_by ?? "unknown")
      return {
        ...end,
        result: "hung_up",
        answeredAt: DateTime.subtract(at, { seconds }),
        ...(kind !== undefined && { answeredBy: kind === "human" ? kind : "voicemail" })
      }
    }
    case "busy":
      return { ...end, result: "busy" }
    case "failed":
      return { ...end, result: "failed", code: "carrier_refused" }
    default:
      return { ...end, result: "no_answer" }
  }
}

/** Twilio's verdict on who answered: `human`, `fax`, or a kind of machine; none for `unknown`. */
export const kindOf = (answeredBy: string): "human" | "voicemail" | "fax" | undefined => {
  if (answeredBy === "human" || answeredBy === "fax") return answeredBy
  return answeredBy.startsWith("machine") ? "voicemail" : undefined
}

export const isTerminal = (status: TwilioApi.CallStatus): boolean => ended.has(status)

const ended: ReadonlySet<TwilioApi.CallStatus> = new Set(["completed", "busy", "no-answer", "failed", "canceled"])
