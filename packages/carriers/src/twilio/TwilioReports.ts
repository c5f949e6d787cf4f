/** What Twilio says of a call in its callbacks and in its API, as the events of the engine. */
import { type CarrierEvent, Ids, PhoneNumber } from "@outdial/core"
import { DateTime, type Effect, Option, Schema } from "effect"
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

export const decodeRecording = Schema.decodeUnknownEffect(Schema.Struct({
  AccountSid: Schema.String,
  CallSid: TwilioApi.CallSid,
  RecordingSid: Schema.String.check(Schema.isPattern(/^RE[0-9a-fA-F]{32}$/)),
  /** `completed`; `absent` or `failed` when there is nothing to hear. */
  RecordingStatus: Schema.String
}))

/** What has ended: the session of the conversation, or the call to the number that the contact was transferred to. */
export const decodeAction = Schema.decodeUnknownEffect(Schema.Struct({
  ...Called,
  /** The number that we have called from. */
  From: Schema.optionalKey(Schema.String),
  SessionStatus: Schema.optionalKey(Schema.String),
  HandoffData: Schema.optionalKey(Schema.String),
  /** `completed` or `answered` if somebody has taken that call. */
  DialCallStatus: Schema.optionalKey(Schema.String)
}))

export type ActionForm = Effect.Success<ReturnType<typeof decodeAction>>

/** What the end of a session tells the request that follows it, when the conversation moves to another process. */
export const moved = "moved"

const transferPrefix = "transfer:"

/** The same when the contact is to be connected with a number. Twilio signs what it hands on. */
export const transferData = (number: PhoneNumber.PhoneNumber): string => transferPrefix + number

/** What the call needs now. */
export type Following =
  | { readonly _tag: "HangUp" }
  /** Is to be connected with a conversation again. */
  | { readonly _tag: "Conversation" }
  | { readonly _tag: "Transfer"; readonly number: PhoneNumber.PhoneNumber }

export const followingOf = ({ DialCallStatus, HandoffData, SessionStatus }: ActionForm): Following => {
  if (DialCallStatus !== undefined) {
    return DialCallStatus === "completed" || DialCallStatus === "answered" ? hangUp : conversation
  }
  const number = HandoffData?.startsWith(transferPrefix) === true
    ? decodeNumber(HandoffData.slice(transferPrefix.length))
    : Option.none()
  if (Option.isSome(number)) return { _tag: "Transfer", number: number.value }
  return SessionStatus === "failed" || HandoffData === moved ? conversation : hangUp
}

const hangUp: Following = { _tag: "HangUp" }
const conversation: Following = { _tag: "Conversation" }

const decodeNumber = Schema.decodeUnknownOption(PhoneNumber.PhoneNumber)

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
