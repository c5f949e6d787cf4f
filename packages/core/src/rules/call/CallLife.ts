/**
 * Every step in the life of a call, as a pure function from record to record. Storage applies it to the row that it has
 * locked, so that memory and SQL cannot disagree. A step that does not apply returns `undefined` and changes nothing.
 */
import { DateTime } from "effect"
import { type CallRecord, type CallState, isFinal, isUnreported, type LineEnd, moveTo } from "../../domain/Call.ts"
import * as CarrierReason from "../../domain/CarrierReason.ts"
import type { Entry, MachineKind } from "../../domain/Conversation.ts"
import type { CarrierCallId, CarrierName, ClaimToken } from "../../domain/Ids.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import { isErased } from "../../domain/PhoneNumber.ts"
import type { CarrierEvent, Charged, Ended } from "../../domain/CarrierEvent.ts"
import { type ModelUsage, summed } from "../../domain/ModelUsage.ts"
import { hasContactWords, type Outcome } from "../../domain/Outcome.ts"
import type { StatusCode } from "../../domain/StatusCode.ts"
import * as ConversationLog from "../conversation/ConversationLog.ts"
import type { AtExpiry, DialDecision } from "../policy/DialDecision.ts"
import * as Failover from "./Failover.ts"
import * as HoldHistory from "./HoldHistory.ts"
import { clampedToNow } from "./ReportTimes.ts"
import { judged } from "./WhoAnswered.ts"

/** How a claim is written into a call. */
export interface ClaimTerms {
  readonly now: DateTime.Utc
  readonly token: ClaimToken
  readonly epoch: number
  readonly carrier: CarrierName
}

/** The call after the rules' decision; `undefined` when it is unchanged. */
export const decided = (call: CallRecord, decision: DialDecision, terms: ClaimTerms): CallRecord | undefined => {
  switch (decision._tag) {
    case "dial":
      return moveTo(HoldHistory.endLatest(call, terms.now), "dialing", {
        dialedAt: terms.now,
        carrier: terms.carrier,
        ...(decision.basis !== undefined && { decision: decision.basis }),
        claim: {
          token: terms.token,
          epoch: terms.epoch,
          dialBy: decision.by,
          leaseUntil: DateTime.addDuration(terms.now, Limits.claimLease)
        }
      })
    case "hold":
      return {
        ...call,
        dueAt: DateTime.min(forward(decision.until, terms.now), call.expiresAt),
        statusCode: decision.code,
        holds: HoldHistory.addDecision(call.holds, decision, terms.now)
      }
    case "end":
      return moveTo(call, decision.status, {
        statusCode: decision.code,
        endedAt: terms.now,
        ...asExpired(decision)
      })
    case "wait":
      return undefined
    default:
      return decision satisfies never
  }
}

/** Holds move strictly forward: with a rule that returns a past instant, the call would be examined again and again. */
const forward = (until: DateTime.Utc, now: DateTime.Utc) => DateTime.max(until, DateTime.addDuration(now, "1 second"))

/**
 * The fence before the request to the carrier: the call as submitted. `undefined` when it must not be dialed any more,
 * because another claim holds it, its deadline has passed, the account has changed since (`epoch`), or its end was
 * requested.
 */
export const submitted = <C extends CallState>(
  call: C,
  { epoch, now, token }: { readonly epoch: number; readonly now: DateTime.Utc; readonly token: ClaimToken }
): C | undefined => {
  const { claim, status } = call
  if (status !== "dialing" || claim?.token !== token || claim.epoch !== epoch) return undefined
  if (claim.submittedAt !== undefined || claim.hangUpAt !== undefined) return undefined
  if (DateTime.isLessThanOrEqualTo(claim.dialBy, now)) return undefined
  return { ...call, claim: { ...claim, submittedAt: now, leaseUntil: lineLease(now) } }
}

/**
 * Returns a call to the queue because nothing was sent. `failed` after too many attempts, or when another call waits
 * for the number; `undefined` when another claim holds the call.
 */
export const returnedToQueue = <C extends CallState>(
  call: C,
  options: {
    readonly token: ClaimToken
    readonly now: DateTime.Utc
    /** Whether the carrier was called and could not be reached. Otherwise the call just waits. */
    readonly reason: HoldHistory.ReturnReason
    readonly numberIsQueued: boolean
    /** While a carrier is unavailable, none of these is tried in its place. Default: none. */
    readonly pausedCarriers?: ReadonlySet<CarrierName>
  }
): C | undefined => {
  if (call.status !== "dialing" || call.claim?.token !== options.token) return undefined
  // Someone has answered, whatever the carrier says of the dial.
  if (call.conversation !== undefined || call.answeredBy !== undefined) return undefined
  // The caller may have read the call before it was submitted: then the phone may be ringing.
  if (options.reason === "not_submitted" && call.claim.submittedAt !== undefined) return undefined
  const undialed = without(call, ["carrier", "decision", "dialedAt", "recordingDueAt"])
  // The end was requested before anything was sent: the call is canceled.
  if (call.claim.hangUpAt !== undefined) return canceled(moveTo(undialed, "queued"), options.now)
  // What its last dial was decided from is kept with its end.
  const ending = call.decision === undefined ? undialed : { ...undialed, decision: call.decision }
  if (options.numberIsQueued) return failed(ending, "superseded", options.now)
  if (options.reason !== "carrier_unavailable") {
    return moveTo(HoldHistory.addReturn(undialed, options), "queued", { dueAt: options.now })
  }
  const next = Failover.next(undialed, options.now, options.pausedCarriers ?? new Set())
  return next === undefined
    ? failed({ ...ending, unavailableCount: call.unavailableCount + 1 }, "carrier_unavailable", options.now)
    : moveTo(undialed, "queued", {
      ...next,
      statusCode: "carrier_unavailable",
      // Over another carrier it is dialed at once.
      ...(DateTime.isGreaterThan(next.dueAt, options.now) && {
        holds: HoldHistory.add(call.holds, { at: options.now, code: "carrier_unavailable", until: next.dueAt })
      })
    })
}

/** A call that waited too long. */
export const expired = <C extends CallState>(call: C, now: DateTime.Utc, atExpiry: AtExpiry): C =>
  moveTo(call, "expired", { statusCode: "queue_expired", endedAt: now, ...asExpired(atExpiry) })

const asExpired = ({ basis, heldBy }: AtExpiry) => ({
  ...(heldBy !== undefined && { heldBy }),
  ...(basis !== undefined && { decision: basis })
})

/** A waiting call that its owner canceled, or whose callee must not be called any more. */
export const canceled = <C extends CallState>(
  call: C,
  now: DateTime.Utc,
  statusCode: "canceled_by_client" | "do_not_call" = "canceled_by_client"
): C => moveTo(call, "canceled", { statusCode, endedAt: now })

/** A waiting call in the lane of another plan, due as soon as it may be dialed. With other carriers, its attempts are counted from zero. */
export const replanned = (before: CallRecord, lane: Lane.Lane, now: DateTime.Utc): CallRecord => {
  const ended = HoldHistory.endLatest(before, now)
  const isOverOthers = Lane.carriersInOrder(before.lane).join() !== Lane.carriersInOrder(lane).join()
  // After an attempt, it is not dialed before the end of the carriers' pause, and no longer at the caller's request.
  const call = isOverOthers && before.unavailableCount > 0
    ? { ...without(ended, ["notBefore"]), unavailableCount: 0 }
    : ended
  return { ...call, lane, dueAt: DateTime.min(call.dueAt, DateTime.max(now, call.notBefore ?? now)) }
}

/** A waiting call after another call to its number has ended: it is due again if it waited for that call. */
export const reconsidered = (call: CallRecord, now: DateTime.Utc): CallRecord | undefined => {
  const dueAt = DateTime.max(now, call.notBefore ?? now)
  return call.status === "queued" && DateTime.isGreaterThan(call.dueAt, dueAt) ? { ...call, dueAt } : undefined
}

const failed = <C extends CallState>(call: C, statusCode: StatusCode, now: DateTime.Utc) =>
  moveTo(call, "failed", { statusCode, endedAt: now })

/** The effect of a carrier's report on a call. */
export type Reported<C extends CallState> =
  | { readonly _tag: "Changed"; readonly call: C; readonly hangUp?: true }
  /** A repeated or late report of a call that needs nothing. */
  | { readonly _tag: "Ignored" }
  /** The recording that was stored is to be deleted: the call must not have one. */
  | { readonly _tag: "Discard" }
  /** The call is reported alive and should not be: the provider is to end it. A change with `hangUp` says so too. */
  | { readonly _tag: "HangUp" }
  /** The report is about a second carrier call for the same call: the provider is to end that one. */
  | { readonly _tag: "Twin" }

/**
 * Applies a report. Progress is monotonic: a late, repeated or reordered report changes nothing. The first id of the carrier that a live
 * call is reported with is the call's for good; a report with another id changes nothing.
 */
export const reported = <C extends CallState>(
  before: C,
  report: CarrierEvent,
  now: DateTime.Utc,
  carrierCallId?: CarrierCallId
): Reported<C> => {
  const event = clampedToNow(before, report, now)
  const given = event._tag === "Accepted" ? event.carrierCallId : carrierCallId
  const bound = before.claim?.carrierCallId ?? before.endedCarrierCallId
  const isOfAnother = given !== undefined && bound !== undefined && given !== bound
  if (isOfAnother && event._tag === "Recorded") return { _tag: "Discard" }
  if (isOfAnother && (event._tag === "Charged" || event._tag === "NotRecorded")) return { _tag: "Ignored" }
  if (event._tag === "NotRecorded") return notRecorded(before, now)
  if (before.status === "queued" || isFinal(before.status) || before.lineEnd !== undefined) {
    if (event._tag === "Recorded") return recordedLate(before, now)
    if (event._tag === "Charged") return before.status === "queued" ? { _tag: "Ignored" } : charged(before, event)
    if (event._tag === "Verdict" && !isOfAnother) return judgedLate(before, event.by)
    return event._tag === "Ended" ? { _tag: "Ignored" } : { _tag: "HangUp" }
  }
  if (isOfAnother) return { _tag: "Twin" }
  const call = given === bound ? before : boundTo(before, given)
  switch (event._tag) {
    case "Alive":
    case "Ringing":
      // The lease runs out: if the provider does not end the call, the janitor handles it.
      return call.claim?.hangUpAt === undefined ? changed(alive(call, now)) : { _tag: "HangUp" }
    case "Accepted":
      return changed(alive(call, now))
    case "Answered":
      return call.status === "in_progress"
        ? changed(judged(alive(call, now), event.by))
        : changed(judged(moveTo(alive(call, now), "in_progress", { answeredAt: event.at }), event.by))
    case "Verdict":
      return changed(judged(alive(call, now), event.by))
    case "Recorded":
      return { _tag: "Changed", call: { ...call, hasRecording: true } }
    case "Charged":
      return charged(call, event)
    case "Ended":
      return changed(ended(withReason(call, event), event, now))
    default:
      return event satisfies never
  }
}

/**
 * An answered call whose verdict comes after its end: it keeps its status, and shows who has answered. What still lives of it at the provider is
 * to be ended.
 */
const judgedLate = <C extends CallState>(call: C, by: MachineKind | "human"): Reported<C> => {
  const after = call.answeredAt === undefined ? call : judged(call, by)
  return after.answeredBy === call.answeredBy ? { _tag: "HangUp" } : { _tag: "Changed", call: after, hangUp: true }
}

/**
 * The recording of a call whose line has ended. Only a completed call has one, and not after its callee was erased or retention has deleted
 * what was said.
 */
const recordedLate = <C extends CallState>(call: C, now: DateTime.Utc): Reported<C> => {
  if (call.hasRecording) return { _tag: "Ignored" }
  const waitsForWords = call.lineEnd !== undefined
  if (!waitsForWords && (call.status !== "completed" || isErased(call.phoneNumber) || !hasWords(call))) {
    return { _tag: "Discard" }
  }
  const isAwaited = call.outcomeState === "awaiting_recording"
  return { _tag: "Changed", call: { ...call, hasRecording: true, ...(isAwaited && { outcomeDueAt: now }) } }
}

/** The call whose recording will not come: its event is due as soon as its outcome is made. Before the end, it is past waiting for one that is announced. */
const notRecorded = <C extends CallState>(call: C, now: DateTime.Utc): Reported<C> => {
  const isLive = call.status !== "queued" && !isFinal(call.status) && call.lineEnd === undefined
  if (isLive === (call.recordingDueAt !== undefined)) return { _tag: "Ignored" }
  if (isLive) return { _tag: "Changed", call: { ...call, recordingDueAt: now } }
  const isAwaited = call.outcomeState === "awaiting_recording" && call.outcomeToken === undefined
  return {
    _tag: "Changed",
    call: { ...without(call, ["recordingDueAt"]), ...(isAwaited && { outcomeDueAt: now }) }
  }
}

/** The call with its cost: no sign of life, and no change of anything else. */
const charged = <C extends CallState>(call: C, { cost }: Charged): Reported<C> =>
  call.cost?.amount === cost.amount && call.cost.currency === cost.currency
    ? { _tag: "Ignored" }
    : { _tag: "Changed", call: { ...call, cost } }

/** A completed call has words, in its log or its transcript, until retention deletes them. */
const hasWords = ({ conversation, outcome, transcript }: CallState): boolean =>
  conversation === "open" || (outcome?.transcript ?? transcript ?? []).length > 0

/** The call with what the carrier says of an end that is a failure, or no answer. */
const withReason = <C extends CallState>(call: C, { carrierReason, result }: Ended): C => {
  const shown = carrierReason === undefined || result === "hung_up" ? undefined : CarrierReason.shown(carrierReason)
  return shown === undefined ? call : { ...call, carrierReason: shown }
}

/** The call with the carrier's id of it. */
const boundTo = <C extends CallState>(call: C, carrierCallId: CarrierCallId | undefined): C =>
  call.claim === undefined || carrierCallId === undefined ? call : { ...call, claim: { ...call.claim, carrierCallId } }

const changed = <C extends CallState>(call: C): Reported<C> => ({
  _tag: "Changed",
  call,
  ...(call.claim?.hangUpAt !== undefined && { hangUp: true })
})

const lineLease = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.lineLease)

/** The call with its lease renewed: there is evidence that it lives. */
export const alive = <C extends CallState>(call: C, now: DateTime.Utc): C =>
  call.claim === undefined ? call : { ...call, claim: { ...call.claim, leaseUntil: lineLease(now) } }

/**
 * How a call ends, by its last report and by what is on record of its conversation. Voicemail and silence never count as completed.
 * While its log is open, only the contact's words end a call at once.
 */
const ended = <C extends CallState>(call: C, event: Ended, now: DateTime.Utc): C => {
  // A conversation and a verdict have an answer, reported or not.
  const isAnswered = call.conversation !== undefined || call.answeredBy !== undefined
  const talkedAt = isAnswered ? call.contactSpokeAt ?? event.at : undefined
  const answeredAt = call.answeredAt ?? event.answeredAt ?? talkedAt
  if (answeredAt === undefined) return unanswered(without(call, ["recordingDueAt"]), event)
  // What the conversation found out is not undone by the carrier.
  const isVoicemail = call.conversation !== undefined && call.answeredBy === "voicemail"
  const isSettled = isVoicemail || (call.transferredAt !== undefined && event.answeredBy === "voicemail")
  const isNews = !isSettled && event.answeredBy !== undefined && event.answeredBy !== "unknown"
  const answeredBy = isNews ? event.answeredBy : call.answeredBy ?? (isSettled ? undefined : event.answeredBy)
  const hasRecording = event.recorded || call.hasRecording
  const isAwaited = event.recordingFollows === true && !hasRecording && call.recordingDueAt === undefined
  const answered: C = {
    ...call,
    answeredAt,
    ...(answeredBy !== undefined && { answeredBy }),
    ...(isAwaited && { recordingDueAt: DateTime.addDuration(now, Limits.recordingDeadline) })
  }
  const end: LineEnd = { at: event.at, ...(event.result === "failed" && { code: event.code ?? "carrier_lost" }) }
  const hasSpoken = call.contactSpokeAt !== undefined || hasContactWords(event.transcript ?? [])
  if (answeredBy !== "voicemail" && hasSpoken) {
    const transcript = ConversationLog.transcriptOf(call.transcript, event.transcript)
    return completed(
      { ...answered, hasRecording, ...(transcript !== undefined && { transcript }) },
      event.at,
      call.conversation === "open" ? sealDeadline(now) : event.at
    )
  }
  if (call.conversation !== "open") return notConnected(answered, end)
  return {
    ...(call.status === "dialing" ? moveTo(answered, "in_progress") : answered),
    hasRecording,
    lineEnd: end,
    ...(call.claim !== undefined && { claim: { ...call.claim, leaseUntil: sealDeadline(now) } })
  }
}

const unanswered = <C extends CallState>(call: C, { answeredBy, at, code, result }: Ended): C => {
  const end = { endedAt: at, ...(answeredBy !== undefined && { answeredBy }) }
  switch (result) {
    case "busy":
      return moveTo(call, "busy", end)
    case "no_answer":
    case "hung_up":
      return moveTo(call, "no_answer", end)
    case "failed":
      return moveTo(call, "failed", { ...end, statusCode: code ?? "carrier_lost" })
    default:
      return result satisfies never
  }
}

const completed = <C extends CallState>(call: C, endedAt: DateTime.Utc, outcomeDueAt: DateTime.Utc): C =>
  moveTo(without(call, ["carrierReason"]), "completed", { endedAt, outcomeState: "pending", outcomeDueAt })

/** The end of an answered call without words of the contact. */
const notConnected = <C extends CallState>(answered: C, { at, code }: LineEnd): C => {
  const call = without(answered, ["recordingDueAt"])
  const end = { endedAt: at, hasRecording: false }
  if (call.answeredBy === "voicemail") return moveTo(call, "no_answer", { ...end, statusCode: "voicemail" })
  return code === undefined
    ? moveTo(call, "no_answer", { ...end, statusCode: "no_speech" })
    : moveTo(call, "failed", { ...end, statusCode: code })
}

/** Measured from the report, because a carrier's clock may be off. */
const sealDeadline = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.sealDeadline)

/** The call after entries were appended to its log; `undefined` when they change nothing of it. */
export const logged = <C extends CallState>(
  call: C,
  entries: ReadonlyArray<Entry>,
  now: DateTime.Utc
): C | undefined => {
  const speaksNow = call.contactSpokeAt === undefined && ConversationLog.hasContactWords(entries)
  const isVoicemail = !isFinal(call.status) && call.answeredBy !== "voicemail" && ConversationLog.isVoicemail(entries)
  const transfer = ConversationLog.lastTransfer(entries)
  if (!speaksNow && !isVoicemail && transfer === undefined) return undefined
  return {
    ...(transfer === undefined ? call : without(call, ["transferredAt"])),
    ...(transfer !== undefined && transfer.failed !== true && { transferredAt: now }),
    ...(speaksNow && { contactSpokeAt: now }),
    ...(isVoicemail && { answeredBy: "voicemail" as const })
  }
}

/**
 * The call with its log folded into it; `undefined` when it has no open log. A call that waits for its last words ends, and a pending
 * outcome is due.
 */
export const sealed = <C extends CallState>(call: C, entries: ReadonlyArray<Entry>): C | undefined => {
  if (call.conversation !== "open") return undefined
  // An outcome that is stored has its transcript.
  const folded: C = {
    ...call,
    conversation: "sealed",
    ...(call.outcome === null && ConversationLog.folded(call, entries))
  }
  const { endedAt, lineEnd } = folded
  if (lineEnd !== undefined) {
    const live = without(folded, ["lineEnd"])
    return live.contactSpokeAt !== undefined && live.answeredBy !== "voicemail"
      ? completed(live, lineEnd.at, lineEnd.at)
      : notConnected(live, lineEnd)
  }
  return folded.outcomeState === "pending" && endedAt !== undefined ? { ...folded, outcomeDueAt: endedAt } : folded
}

/** When the outcome is to be made: at its time, or when the lease of its claim runs out. */
export const outcomeDueAt = (call: CallState): DateTime.Utc | undefined =>
  call.outcomeToken === undefined ? call.outcomeDueAt : call.outcomeLeaseUntil

/** The call with the work of making its outcome held under the token; `undefined` when there is none to be done now. */
export const outcomeClaimed = <C extends CallState>(call: C, token: ClaimToken, now: DateTime.Utc): C | undefined => {
  const dueAt = isUnreported(call) ? outcomeDueAt(call) : undefined
  return dueAt === undefined || DateTime.isGreaterThan(dueAt, now)
    ? undefined
    : { ...call, outcomeToken: token, outcomeLeaseUntil: DateTime.addDuration(now, Limits.outcomeLease) }
}

/** The result of making the outcome of a completed call, and what language models took for it. */
export type OutcomeResult =
  & { readonly usage?: ReadonlyArray<ModelUsage> }
  & (
    | { readonly _tag: "Stored"; readonly outcome: Outcome }
    | { readonly _tag: "GivenUp" }
    | { readonly _tag: "RetryAt"; readonly at: DateTime.Utc }
    /** The outcome was made before, and the recording has come or is no longer waited for. */
    | { readonly _tag: "Reported" }
  )

/** Writes the result of outcome work; `undefined` when another claim holds the work, or the result is of other work. */
export const outcomeSettled = <C extends CallState>(
  before: C,
  token: ClaimToken,
  result: OutcomeResult,
  now: DateTime.Utc
): C | undefined => {
  if (!isUnreported(before) || before.outcomeToken !== token) return undefined
  if ((before.outcomeState === "awaiting_recording") !== (result._tag === "Reported")) return undefined
  const { usage = [] } = result
  const call = usage.length === 0 ? before : { ...before, usage: summed([...before.usage ?? [], ...usage]) }
  switch (result._tag) {
    case "Stored":
      return madeOf({ ...without(call, ["transcript"]), outcome: result.outcome }, now)
    case "GivenUp":
      return madeOf(call, now)
    case "Reported":
      return reportedOf(call)
    case "RetryAt":
      return { ...without(call, ["outcomeToken", "outcomeLeaseUntil"]), outcomeDueAt: result.at }
    default:
      return result satisfies never
  }
}

/** The call whose outcome is made, or will never be: reported now, or when its recording has come. */
const madeOf = <C extends CallState>(call: C, now: DateTime.Utc): C => {
  const { hasRecording, recordingDueAt } = call
  if (hasRecording || recordingDueAt === undefined || DateTime.isLessThanOrEqualTo(recordingDueAt, now)) {
    return reportedOf(call)
  }
  return {
    ...without(call, ["outcomeToken", "outcomeLeaseUntil"]),
    outcomeState: "awaiting_recording",
    outcomeDueAt: recordingDueAt
  }
}

/** The notes go with the report only: a node of an earlier version makes the outcome again while the event waits. */
const reportedOf = <C extends CallState>(call: C): C => {
  const reported = without(call, ["outcomeDueAt", "outcomeToken", "outcomeLeaseUntil", "recordingDueAt"])
  return call.outcome === null
    ? { ...reported, outcomeState: "given_up" }
    : { ...without(reported, ["notes"]), outcomeState: "stored" }
}

/** The call without these; still a C, as all of them are optional. */
export const without = <C extends CallState>(
  call: C,
  fields: ReadonlyArray<
    | "carrier"
    | "carrierReason"
    | "decision"
    | "dialedAt"
    | "lineEnd"
    | "notBefore"
    | "notes"
    | "outcomeDueAt"
    | "outcomeLeaseUntil"
    | "outcomeToken"
    | "recordingDueAt"
    | "transcript"
    | "transferredAt"
  >
): C => {
  // Copied field by field, because deleting fields from an object makes it slow.
  const rest: Partial<C> = {}
  for (const field in call) if (!fields.some((left) => left === field)) rest[field] = call[field]
  return rest as C
}
