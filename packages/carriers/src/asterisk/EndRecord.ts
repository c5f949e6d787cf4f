/**
 * What the dialplan has written about a call, and how that call has ended. The record is written by Asterisk itself: when the call is
 * answered, and again before its channel disappears.
 */
import type { CarrierEvent } from "@outdial/core"
import { DateTime, type Option, Schema } from "effect"

const Record = Schema.Struct({
  id: Schema.String,
  /** Empty for a channel that another system has created. */
  account: Schema.String,
  /** By Outdial's clock, in milliseconds: a call that was given back to the queue is dialed again under its id. */
  createdAt: Schema.optionalKey(Schema.Finite),
  /** `Down`, `Ringing` or `Up`. This and what follows are absent until the end. */
  state: Schema.optionalKey(Schema.String),
  /** Asterisk's cause (Q.850), such as `16`. */
  cause: Schema.optionalKey(Schema.String),
  /** Where the request went, such as `203.0.113.5:5060`; empty if none was sent. */
  to: Schema.optionalKey(Schema.String),
  /** The last reply of the trunk, such as `SIP 486 Busy Here`; empty if it never replied. */
  sip: Schema.optionalKey(Schema.String),
  /** By Asterisk's clock, in seconds; 0 if it was not answered. */
  answeredAt: Schema.Finite,
  endedAt: Schema.optionalKey(Schema.Finite)
})
export type EndRecord = typeof Record.Type

/** None when it cannot be read. */
export const decode: (text: string) => Option.Option<EndRecord> = Schema.decodeUnknownOption(
  Schema.fromJsonString(Record)
)

/** The name of a call's record among Asterisk's stored recordings. */
export const nameOf = (callId: string): string => `call-${callId}`

/** The id of the call whose record has this name. */
export const callIdOf = (name: string): string | undefined => /^call-(call_[0-9A-Za-z]+)$/.exec(name)?.[1]

export const isComplete = ({ endedAt }: EndRecord): boolean => endedAt !== undefined

export const answeredAtOf = ({ answeredAt }: EndRecord): DateTime.Utc | undefined =>
  answeredAt > 0 ? instantOf(answeredAt) : undefined

/** Whether the phone may have rung: a request was sent, or the trunk has replied. Otherwise the channel was not dialed, or could not be. */
export const hasReached = ({ answeredAt, sip = "", state = "Down", to = "" }: EndRecord): boolean =>
  answeredAt > 0 || sip !== "" || to !== "" || state !== "Down"

/** Whether it is certain that no request was sent. */
export const isUnsent = (record: EndRecord): boolean =>
  isComplete(record) && record.to !== undefined && !hasReached(record)

/** How the call has ended. A record that is not complete is of a call that was answered, and lost when Asterisk died; `now` is its end. */
export const endOf = (record: EndRecord, now: DateTime.Utc): CarrierEvent.Ended => {
  const at = record.endedAt === undefined ? now : instantOf(record.endedAt)
  const end = { _tag: "Ended", at, recorded: false } as const
  // Without CDR, Asterisk does not know when.
  const answeredAt = answeredAtOf(record) ?? (record.state === "Up" ? at : undefined)
  if (answeredAt !== undefined) {
    const answer = { answeredAt: DateTime.min(answeredAt, at) }
    return isComplete(record)
      ? { ...end, ...answer, result: "hung_up" }
      : { ...end, ...answer, result: "failed", code: "carrier_lost" }
  }
  return { ...end, ...resultOf(record) }
}

type Result = Pick<CarrierEvent.Ended, "result" | "code" | "carrierReason">

/** How a call ended that was not answered, by the last reply of its trunk. Asterisk's own causes look like no answer when the trunk is down. */
const resultOf = (record: EndRecord): Result => {
  const [, code = "", message = ""] = /^SIP (\d{3}) ?(.*)$/.exec(record.sip ?? "") ?? []
  if (code === "") return resultWithoutReply(record)
  const carrierReason = { code, ...(message !== "" && { message }) }
  if (busy.has(code)) return { result: "busy", carrierReason }
  if (isProvisional(code) || unanswered.has(code)) return { result: "no_answer" }
  return { result: "failed", code: "carrier_refused", carrierReason }
}

const resultWithoutReply = ({ cause, to }: EndRecord): Result => {
  // A trunk that is down ends a call with another cause: this one was hung up before it could reply.
  if (cause === normalClearing && to !== "") return { result: "no_answer" }
  const message = to === "" ? "Asterisk has sent nothing to the trunk" : "The trunk has not replied"
  return { result: "failed", code: "carrier_refused", carrierReason: { message } }
}

const normalClearing = "16"

/** It rang, or was about to: the ring time-out, a hang-up or the fence has ended it. A success that came too late was not taken. */
const isProvisional = (code: string): boolean => code.startsWith("1") || code.startsWith("2")

/** Busy here, busy everywhere, declined. */
const busy: ReadonlySet<string> = new Set(["486", "600", "603"])

/** Request time-out, temporarily unavailable, request terminated. */
const unanswered: ReadonlySet<string> = new Set(["408", "480", "487"])

/** How a call has ended whose record is missing: by Asterisk's cause (Q.850), which does not tell a trunk that is down from no answer. */
export const endWithout = (
  cause: number | undefined,
  answeredAt: DateTime.Utc | undefined,
  at: DateTime.Utc
): CarrierEvent.Ended => {
  const end = { _tag: "Ended", at, recorded: false } as const
  if (cause === undefined) {
    return { ...end, ...(answeredAt !== undefined && { answeredAt }), result: "failed", code: "carrier_lost" }
  }
  if (answeredAt !== undefined) return { ...end, answeredAt, result: "hung_up" }
  if (cause === userBusy) return { ...end, result: "busy" }
  return noAnswer.has(cause) ? { ...end, result: "no_answer" } : { ...end, result: "failed", code: "carrier_refused" }
}

const userBusy = 17

/** Normal clearing, no user responding, no answer. */
const noAnswer: ReadonlySet<number> = new Set([16, 18, 19])

const instantOf = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(Math.round(seconds * 1000))
