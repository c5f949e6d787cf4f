/**
 * A carrier for hosts without Effect: promises, plain objects, `Date`s. If such a provider throws, or answers in
 * another form, the engine assumes the safe case: the phone may have rung, or the carrier could not be reached.
 */
import { Effect, Schema } from "effect"
import { decodingForeign } from "../domain/Decoding.ts"
import type { InvalidRequest } from "../domain/Errors.ts"
import { AccountId, CallId, CarrierCallId } from "../domain/Ids.ts"
import { AnsweredBy } from "../domain/Call.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import { MachineKind } from "../domain/Conversation.ts"
import type { Recording } from "../recording/Recordings.ts"
import { Cost } from "../domain/Cost.ts"
import type { CarrierView, DialRequest } from "./DialRequest.ts"

const Instant = Schema.DateTimeUtcFromDate

/** The carrier's own code and words, as long as they are. */
const SaidReason = Schema.Struct({
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})

const EndSchema = Schema.Struct({
  at: Instant,
  result: Schema.Literals(["hung_up", "no_answer", "busy", "failed"]),
  /** Why it failed. */
  code: Schema.optionalKey(Schema.Literals(["carrier_refused", "carrier_lost"])),
  /** Why it did not connect, in the carrier's own words. */
  carrierReason: Schema.optionalKey(SaidReason),
  /** Present when it was answered, reported or not: the report of the answer may have been lost. */
  answeredAt: Schema.optionalKey(Instant),
  answeredBy: Schema.optionalKey(AnsweredBy),
  /** What was said, in order. Default: empty. */
  transcript: Schema.optionalKey(
    Schema.Array(Schema.Struct({ speaker: Schema.Literals(["agent", "contact"]), text: Schema.String }))
  ),
  /** The result of `keepRecording`. Default: `false`. */
  recorded: Schema.optionalKey(Schema.Boolean),
  /** The recording comes after the end, as `recorded`: the event of the call waits for it, for 60 seconds at most. Default: `false`. */
  recordingFollows: Schema.optionalKey(Schema.Boolean)
})

/** How a call ended. It is complete in itself, whatever was reported before. */
export type HostEnd = typeof EndSchema.Encoded

const EventSchema = Schema.Union([
  Schema.Struct({ type: Schema.Literal("accepted"), carrierCallId: CarrierCallId }),
  Schema.Struct({ type: Schema.Literal("alive") }),
  Schema.Struct({ type: Schema.Literal("ringing") }),
  Schema.Struct({ type: Schema.Literal("answered"), at: Instant, by: AnsweredBy }),
  /** Who has answered, found out after the answer. */
  Schema.Struct({ type: Schema.Literal("verdict"), by: Schema.Literals(["human", ...MachineKind.literals]) }),
  Schema.Struct({ type: Schema.Literal("ended"), ...EndSchema.fields }),
  /** The recording was stored by `keepRecording`, before the end or after it. */
  Schema.Struct({ type: Schema.Literal("recorded") }),
  /** The recording that the end has announced will not come. */
  Schema.Struct({ type: Schema.Literal("not_recorded") }),
  /** What the carrier charges for the call in all, whenever it says so: a decimal number in text, and an ISO 4217 code. */
  Schema.Struct({ type: Schema.Literal("charged"), ...Cost.fields })
])

const KeyForm = Schema.Struct({ accountId: AccountId, callId: CallId })
const ReportSchema = Schema.Struct({
  ...KeyForm.fields,
  /** The carrier's own id of the call, as in its callback. A hang-up uses this id. */
  carrierCallId: Schema.optionalKey(CarrierCallId),
  event: EventSchema
})

/** One event of one call: the two ids of the dial, and the event. */
export type HostReport = typeof ReportSchema.Encoded

const DialAnswerSchema = Schema.Union([
  Schema.Struct({ carrierCallId: CarrierCallId }),
  Schema.Struct({
    failed: Schema.Literals(["refused", "unavailable", "not_authorized"]),
    cause: Schema.optionalKey(Schema.Unknown),
    /** Why the carrier refused the call or the account, in its own words. Telephone numbers and long identifiers are removed. */
    carrierReason: Schema.optionalKey(SaidReason)
  })
])

/**
 * The carrier's own id for the call that it took; or `refused` when nothing rang and nothing will, `unavailable` when it is
 * proven that nothing was sent, such as by a refused connection; `not_authorized` when nothing rang because the carrier takes no call of
 * your account, such as with wrong credentials or an unpaid bill: dialing over the carrier pauses, and calls wait as `carrier_paused`.
 */
export type HostDialAnswer = typeof DialAnswerSchema.Encoded

const ViewSchema = Schema.Union([
  Schema.Struct({ status: Schema.Literal("live") }),
  Schema.Struct({ status: Schema.Literal("not_found") }),
  Schema.Struct({ status: Schema.Literal("ended"), ...EndSchema.fields })
])

/** The carrier's state of a call; the fields of `ended` are those of `HostEnd`. Throw if the carrier cannot be reached. */
export type HostCarrierView = typeof ViewSchema.Encoded

/** Names a call, to the carrier and back. */
export type HostCallKey = typeof KeyForm.Encoded

/** A call that was submitted to the carrier; without the carrier's own id when its answer was lost. */
export interface HostPlacedCall extends HostCallKey {
  readonly carrierCallId?: string
  readonly phoneNumber: string
  /** As it went with the dial. */
  readonly callerId?: string
  /** When the carrier was asked to dial, at the earliest: the request follows within seconds. */
  readonly submittedAt: Date
}

/**
 * A call to end, with the known data. If the engine does not know the call as live: the two ids and the `carrierCallId`
 * of its report.
 */
export interface HostCallToEnd
  extends HostCallKey, Partial<Pick<HostPlacedCall, "carrierCallId" | "phoneNumber" | "callerId" | "submittedAt">>
{}

/** What a provider uses to report on its calls. */
export interface HostLine {
  /**
   * The report is stored when it resolves. When it rejects, the report is not stored: answer the carrier's callback
   * with an error, so that the carrier repeats it. Late, repeated and reordered reports do no harm. A call that the
   * engine does not know as live is ended by `hangUp`. Unknown fields are ignored, but a misspelled one is refused.
   */
  readonly report: (report: HostReport) => Promise<void>
  /**
   * Stores the audio of a call. Resolves with whether it did; report that as `recorded` of the call's end. For a recording that comes
   * after the end, report `{ type: "recorded" }` when it is stored; it is deleted again if the call must not have one.
   */
  readonly keepRecording: (call: HostCallKey, recording: Recording) => Promise<boolean>
}

/** A call to submit; `mayStillRing` says until when. */
export type HostDialRequest = Omit<DialRequest, "dialBy">

export interface HostDialOptions {
  readonly signal: AbortSignal
  /**
   * Check it right before you send anything to the carrier, and answer `{ failed: "unavailable" }` if it returns
   * `false`: the calling hours may have ended while you waited for a token or a free connection.
   */
  readonly mayStillRing: () => boolean
}

export interface PromiseTelephony {
  /**
   * Names your carrier, in at most 64 characters. It is stored with every call, and only a process whose carrier has this name looks the
   * call up or ends it: do not change it while there are live calls, and never use it for another carrier.
   */
  readonly name: string
  /**
   * Submits the call, once: never send it twice, whatever happens. Send both ids along, so that every report returns them. Throw if you
   * do not know whether the carrier received the request: the call is looked up later, and not dialed again.
   */
  readonly dial: (request: HostDialRequest, options: HostDialOptions) => Promise<HostDialAnswer>
  /** Must work with our ids alone. `not_found` ends the call, so answer it only when the carrier has said so itself. */
  readonly lookUp: (
    call: HostPlacedCall,
    options: { readonly signal: AbortSignal }
  ) => Promise<HostCarrierView>
  /** Ends the call if it lives: safe to repeat, harmless for calls that are over or unknown. Throw when it failed. */
  readonly hangUp: (call: HostCallToEnd, options: { readonly signal: AbortSignal }) => Promise<void>
  /** How long after a dial `not_found` may still be wrong, because the carrier's look-up lags. */
  readonly notFoundLagSeconds: number
  /**
   * Whether the carrier takes calls of your account again, asked every minute after `not_authorized`. Must place no call. Without it, an
   * operator resumes with `carriers.resume` or `outdial carriers resume`.
   */
  readonly check?: (options: { readonly signal: AbortSignal }) => Promise<boolean>
  /** Closes what the provider has opened, such as a listener for the carrier's callbacks. */
  readonly close?: () => void | Promise<void>
}

export const decodeKey = Schema.decodeUnknownPromise(KeyForm)
export const decodeDialAnswer = Schema.decodeUnknownPromise(DialAnswerSchema)

const decodeHostReport = decodingForeign(ReportSchema)
const decodeHostView = decodingForeign(ViewSchema)

/** A report in the engine's form. */
export interface HostReported extends Omit<typeof ReportSchema.Type, "event"> {
  readonly event: CarrierEvent
}

/**
 * The report in the engine's form. A misspelled `transcript` is refused, because it would lose a conversation. A field that the carrier
 * has added is ignored, because refused reports and look-ups would keep every call live.
 */
export const decodeReport = (report: unknown): Effect.Effect<HostReported, InvalidRequest> =>
  Effect.map(decodeHostReport(report), ({ event, ...key }) => ({ ...key, event: lineEvent(event) }))

/** The view in the engine's form. */
export const decodeView = (view: unknown): Effect.Effect<CarrierView, InvalidRequest> =>
  Effect.map(decodeHostView(view), carrierView)

const carrierView = (form: typeof ViewSchema.Type): CarrierView => {
  switch (form.status) {
    case "live":
      return { _tag: "Live" }
    case "not_found":
      return { _tag: "NotFound" }
    case "ended":
      return { _tag: "Ended", event: ended(form) }
    default:
      return form satisfies never
  }
}

const lineEvent = (event: typeof EventSchema.Type): CarrierEvent => {
  switch (event.type) {
    case "accepted":
      return { _tag: "Accepted", carrierCallId: event.carrierCallId }
    case "alive":
      return { _tag: "Alive" }
    case "ringing":
      return { _tag: "Ringing" }
    case "answered":
      return { _tag: "Answered", at: event.at, by: event.by }
    case "verdict":
      return { _tag: "Verdict", by: event.by }
    case "ended":
      return ended(event)
    case "recorded":
      return { _tag: "Recorded" }
    case "not_recorded":
      return { _tag: "NotRecorded" }
    case "charged":
      return { _tag: "Charged", cost: { amount: event.amount, currency: event.currency } }
    default:
      return event satisfies never
  }
}

const ended = (
  { answeredAt, answeredBy, at, carrierReason, code, recorded = false, recordingFollows, result, transcript = [] }:
    typeof EndSchema.Type
) => ({
  _tag: "Ended" as const,
  at,
  result,
  ...(code !== undefined && { code }),
  ...(carrierReason !== undefined && { carrierReason }),
  ...(answeredAt !== undefined && { answeredAt }),
  ...(answeredBy !== undefined && { answeredBy }),
  transcript,
  recorded,
  ...(recordingFollows !== undefined && { recordingFollows })
})
