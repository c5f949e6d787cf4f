/**
 * A call: the request that starts it, the stored record, the public form, and the one table of transitions. A status
 * changes only through `moveTo`, which rejects an illegal move.
 */
import { DateTime, Duration, Option, Schema } from "effect"
import * as CarrierReason from "./CarrierReason.ts"
import { Cost } from "./Cost.ts"
import type { DecisionBasis } from "./DecisionBasis.ts"
import * as Example from "./Examples.ts"
import { apart, field } from "./FieldDocs.ts"
import {
  type AccountId,
  AgentId,
  BatchId,
  CallId,
  type CarrierCallId,
  type CarrierName,
  type ClaimToken
} from "./Ids.ts"
import type { Lane } from "./Lane.ts"
import * as Limits from "./Limits.ts"
import { ModelUsage } from "./ModelUsage.ts"
import { Outcome, type TranscriptTurn } from "./Outcome.ts"
import { PhoneNumber, WrittenNumber } from "./PhoneNumber.ts"
import { TimeZoneName } from "./Policy.ts"
import * as StatusCode from "./StatusCode.ts"
import { text } from "./Text.ts"
import type { LoggedNote, MachineKind } from "./Conversation.ts"
import { HostInstant, Timestamp } from "./Timestamp.ts"
import { Variables } from "./Variables.ts"

export const CallStatus = Schema.Literals([
  "queued",
  "dialing",
  "in_progress",
  "completed",
  "no_answer",
  "busy",
  "failed",
  "canceled",
  "expired"
])
export type CallStatus = typeof CallStatus.Type

/** Every allowed move (`docs/decisions.md`, transitions). `dialing` returns to `queued` only when nothing was sent. */
export const transitions: { readonly [From in CallStatus]: ReadonlyArray<CallStatus> } = {
  queued: ["dialing", "canceled", "expired"],
  dialing: ["queued", "in_progress", "no_answer", "busy", "failed", "completed"],
  in_progress: ["completed", "no_answer", "failed"],
  completed: [],
  no_answer: [],
  busy: [],
  failed: [],
  canceled: [],
  expired: []
}

/** A final status never changes. */
export const isFinal = (status: CallStatus): boolean => transitions[status].length === 0

/** A line is in use exactly while a call is `dialing` or `in_progress`. */
export const usesLine = (status: CallStatus): boolean => status === "dialing" || status === "in_progress"

export const AnsweredBy = Schema.Literals(["human", "voicemail", "unknown"])
export type AnsweredBy = typeof AnsweredBy.Type

const ContactText = text(Limits.contactTextLength)

/** The person being called. */
export const Contact = Schema.Struct({
  name: field(
    Schema.optionalKey(ContactText),
    "At most 255 characters. The script may use it as `{{contact.name}}`.",
    Example.contact.name
  ),
  email: field(
    Schema.optionalKey(
      text(Limits.emailLength).check(
        Schema.isPattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, { message: "must be an e-mail address" })
      )
    ),
    "An e-mail address of at most 254 characters.",
    Example.contact.email
  ),
  externalId: field(
    Schema.optionalKey(ContactText),
    "Your own id of the contact, at most 255 characters. Calls can be listed by it.",
    Example.contact.external_id
  ),
  timeZone: field(
    Schema.optionalKey(TimeZoneName),
    "The zone that the callee is in, as a name of the IANA time zone database. When not given, the zones that the number may lie in.",
    "America/New_York"
  )
})
export type Contact = typeof Contact.Type

/** The owner's own data: returned on the call and its events, never shown to the agent. */
export const Metadata = Schema.Record(Schema.String, Schema.Json.annotate({ message: "must be a JSON value" })).check(
  Schema.makeFilter((value) => {
    const json = JSON.stringify(value)
    // A code unit takes at most three bytes of UTF-8, so that small metadata need not be encoded.
    if (json.length * 3 <= Limits.metadataBytes) return true
    const bytes = new TextEncoder().encode(json).length
    return bytes <= Limits.metadataBytes ||
      `must be at most ${Limits.metadataBytes} bytes of JSON, and is ${bytes}`
  })
)
export type Metadata = typeof Metadata.Type

/** A request to start one call (spec §4.1). */
export const StartCall = Schema.Struct({
  agentId: field(AgentId, "The agent that makes the call; `GET /v1/agents` lists them.", Example.agentId),
  phoneNumber: field(
    WrittenNumber,
    "The number to call, in E.164 form. Spaces, dashes, dots and brackets are ignored; a leading `00` is read as `+`. A number without a country is one of the policy's `default_country`, and is refused without that.",
    "+1 (415) 555-0100"
  ),
  contact: field(Schema.optionalKey(Contact), "Whom the call is for.", Example.contact),
  variables: field(
    Schema.optionalKey(Variables),
    "Values for the placeholders of the agent's script: text of at most 500 characters, numbers or booleans, at most 100. A key starts with a letter, then letters, digits, `_` or spaces, at most 40 characters.",
    Example.variables
  ),
  metadata: field(
    Schema.optionalKey(Metadata),
    "Your own data, at most 8 KB as JSON. It comes back on the call and its events; the agent never sees it.",
    Example.metadata
  ),
  notBefore: field(
    Schema.optionalKey(Timestamp),
    "The call is not dialed before this instant. A test call completes at once all the same.",
    "2026-03-02T15:00:00Z"
  ),
  expiresAt: field(
    Schema.optionalKey(Timestamp),
    "A call that is still waiting then becomes `expired`. When not given: seven days after the call may first be dialed.",
    "2026-03-04T18:00:00Z"
  ),
  test: apart(
    Schema.optionalKey(Schema.Boolean),
    "Simulates the call: no phone rings, it is not billed, it completes at once, and its event is sent.",
    true
  )
})
export type StartCall = typeof StartCall.Type

/** The same as hosts in TypeScript write it, with `Date`s or text for instants. */
export const HostStartCall = Schema.Struct({
  ...StartCall.fields,
  notBefore: Schema.optionalKey(HostInstant),
  expiresAt: Schema.optionalKey(HostInstant)
})

/** Work on a call that one claim holds. */
export interface Claim {
  readonly token: ClaimToken
  readonly leaseUntil: DateTime.Utc
  /** The account's epoch when the call was claimed. */
  readonly epoch: number
  /** The carrier must be called before this instant: the deadline of the claim, or the end of calling hours. */
  readonly dialBy: DateTime.Utc
  /** Set by the fence, immediately before the request to the carrier. */
  readonly submittedAt?: DateTime.Utc
  readonly carrierCallId?: CarrierCallId
  /** Set when the end of the call was requested. */
  readonly hangUpAt?: DateTime.Utc
}

/** The end of a live call's line, while the call waits for the last words of its conversation. */
export interface LineEnd {
  readonly at: DateTime.Utc
  /** Why the line failed; absent when it was hung up. */
  readonly code?: "carrier_refused" | "carrier_lost"
}

/** The log of a call's conversation: open while words may be added, then sealed and folded into the call. */
export type ConversationState = "open" | "sealed"

/**
 * The state of the outcome of a completed call. `awaiting_recording`: it is made, or there will be none, and the event of the call waits
 * for the recording.
 */
export type OutcomeState = "none" | "pending" | "awaiting_recording" | "stored" | "given_up"

/** The part of a call's request that no step changes. */
export interface CallTerms {
  readonly agentId: AgentId
  readonly agentVersion: number
  readonly batchId: BatchId | null
  /** The row of its batch that started it. */
  readonly batchIndex?: number
  readonly contact: Contact
  readonly variables: Variables
  readonly metadata: Metadata
}

/** The fields that the steps of a call read and change. */
export interface CallState {
  readonly id: CallId
  readonly accountId: AccountId
  readonly test: boolean
  readonly phoneNumber: PhoneNumber
  readonly status: CallStatus
  readonly statusCode?: StatusCode.StatusCode
  readonly createdAt: DateTime.Utc
  readonly lane: Lane
  /** Not dialed before: by request, or because the carrier could not be reached. */
  readonly notBefore?: DateTime.Utc
  /** While queued: when to examine the call next, if its lane is open. */
  readonly dueAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  /** What has held the call, oldest first: `Limits.holdsOfCall` of them. Absent when nothing has. */
  readonly holds?: ReadonlyArray<PastHold>
  /** What the rules decided from when the call was dialed last, or expired. Absent for calls of older versions. */
  readonly decision?: DecisionBasis
  /** The hold just before the call expired. */
  readonly heldBy?: Hold
  /** How often the carrier was unavailable; with several in the call's route, how often they all were, one after the other. */
  readonly unavailableCount: number
  readonly claim?: Claim
  /** The carrier's id of a call that has ended; that of a live call is in its claim. Absent for calls of older versions. */
  readonly endedCarrierCallId?: CarrierCallId
  /** The carrier that the call was last claimed for. It stays when the call ends. Absent for calls of older versions. */
  readonly carrier?: CarrierName
  /** Why the call did not connect, in the carrier's own words. */
  readonly carrierReason?: CarrierReason.CarrierReason
  readonly dialedAt?: DateTime.Utc
  readonly answeredAt?: DateTime.Utc
  readonly endedAt?: DateTime.Utc
  readonly answeredBy?: AnsweredBy
  /** The machine that has answered, by the carrier's word. */
  readonly machine?: MachineKind
  readonly hasRecording: boolean
  /**
   * Until when the event of the call waits for a recording of the carrier; until that is sent. Set by the end that announces one, or by
   * the carrier's word that none will come: then it is past, and no announcement changes it.
   */
  readonly recordingDueAt?: DateTime.Utc
  /** Absent when the call has no conversation, or one without a log. */
  readonly conversation?: ConversationState
  /** When the first words of the contact were logged. A call with them ends as `completed`. */
  readonly contactSpokeAt?: DateTime.Utc
  /** When the agent last transferred the contact, unless that failed. Whoever has answered, a person speaks with a person since. */
  readonly transferredAt?: DateTime.Utc
  /** While live: the line has ended, and the lease of the claim runs out when the call no longer waits for words. */
  readonly lineEnd?: LineEnd
  /** The transcript, until the outcome that contains it is stored. */
  readonly transcript?: ReadonlyArray<TranscriptTurn>
  /** What the agent noted for the outcome, until that is stored. */
  readonly notes?: ReadonlyArray<LoggedNote>
  /** What the carrier charges. */
  readonly cost?: Cost
  /** What language models took for the conversation and its outcome. */
  readonly usage?: ReadonlyArray<ModelUsage>
  readonly outcome: Outcome | null
  readonly outcomeState: OutcomeState
  /** While the event of a completed call is not written: when to try next, and which claim holds the work until when. */
  readonly outcomeDueAt?: DateTime.Utc
  readonly outcomeToken?: ClaimToken
  readonly outcomeLeaseUntil?: DateTime.Utc
}

/** A call as it is stored. */
export interface CallRecord extends CallTerms, CallState {}

/** The record in a new status. An illegal move is a bug of the engine, so it throws. */
export const moveTo = <C extends CallState>(
  record: C,
  status: CallStatus,
  changes: Partial<Omit<CallState, "id" | "accountId" | "status">> = {}
): C => {
  if (!transitions[record.status].includes(status)) {
    throw new Error(`A call cannot move from ${record.status} to ${status} (${record.id})`)
  }
  const { claim, statusCode: _, ...rest } = record
  const ended = claim?.carrierCallId !== undefined && isFinal(status)
    ? { endedCarrierCallId: claim.carrierCallId }
    : {}
  const kept = claim !== undefined && usesLine(status) ? { claim } : ended
  // Still a C: the removed fields are optional, and the new values have the types of the fields.
  return { ...rest, ...kept, ...changes, status } as unknown as C
}

/** A call as its owner sees it (spec §2.1). Fields that do not apply are absent. */
export const Call = Schema.Struct({
  id: field(CallId, "The call's id.", Example.callId),
  object: field(Schema.Literal("call"), "Always `call`.", "call"),
  status: field(
    CallStatus,
    "`queued` until it is dialed; then `dialing` and `in_progress`; at last one of `completed`, `no_answer`, `busy`, `failed`, `canceled`, `expired`, which never changes.",
    "completed"
  ),
  statusReason: apart(
    Schema.optionalKey(Schema.String),
    "Why the call waits or did not happen, in plain words. Absent when there is no reason.",
    "Waiting for calling hours in the callee's time zone."
  ),
  statusCode: apart(
    Schema.optionalKey(StatusCode.StatusCode),
    "The same reason as a stable code. More may be added.",
    "outside_calling_hours"
  ),
  carrierReason: apart(
    Schema.optionalKey(CarrierReason.CarrierReason),
    "Why the call did not connect, in the carrier's own words. Absent when it gave no reason.",
    { code: "21215", message: "Account not authorized to call this country" }
  ),
  scheduledFor: apart(
    Schema.optionalKey(Schema.DateTimeUtc),
    "While a queued call is held: when it is due.",
    "2026-03-03T09:00:00.000Z"
  ),
  agentId: field(AgentId, "The agent that makes the call.", Example.agentId),
  phoneNumber: field(PhoneNumber, "The number, in E.164 form.", Example.phoneNumber),
  contact: field(Contact, "Whom the call is for; `{}` when not given.", Example.contact),
  variables: field(Variables, "Values for the script's placeholders; `{}` when not given.", Example.variables),
  metadata: field(Metadata, "Your own data; `{}` when not given. The agent never sees it.", Example.metadata),
  batchId: field(
    Schema.NullOr(BatchId),
    "The batch that started the call; null when it was started alone.",
    null
  ),
  test: field(Schema.Boolean, "Whether the call was only simulated: no phone rang, and it is not billed.", false),
  durationSeconds: field(
    Schema.optionalKey(Schema.Int),
    "From answer to hang-up; 0 when it was not answered. Present once the call has ended.",
    42
  ),
  createdAt: field(Schema.DateTimeUtc, "When the call was accepted.", Example.created),
  dialedAt: field(Schema.optionalKey(Schema.DateTimeUtc), "When it was dialed.", "2026-03-02T10:00:51.000Z"),
  endedAt: field(Schema.optionalKey(Schema.DateTimeUtc), "When it ended.", Example.ended),
  answeredBy: field(
    Schema.optionalKey(AnsweredBy),
    "Who answered. `unknown` counts as a person. A call that voicemail answered is `no_answer`.",
    "human"
  ),
  recordingUrl: field(
    Schema.optionalKey(Schema.String),
    "A temporary link to the recording, which needs no key. After `recording_expires_at`, get the call again for a fresh one.",
    `https://calls.example.com/v1/calls/${Example.callId}/recording?account=acct_01&expires=1772532107&signature=x`
  ),
  recordingExpiresAt: field(
    Schema.optionalKey(Schema.DateTimeUtc),
    "When the link ends, about 24 hours after it was made.",
    "2026-03-03T10:01:47.000Z"
  ),
  cost: apart(
    Schema.optionalKey(Cost),
    "What the carrier charges for the call to the contact, as it says. A call to a transfer number is not part of it. It may come hours after the end, or never, and no event waits for it.",
    { amount: "0.0075", currency: "USD" }
  ),
  usage: apart(
    Schema.optionalKey(Schema.Array(ModelUsage)),
    "What language models took for the conversation and its outcome, by model. Absent when none was asked. Answers that the contact interrupted are not counted: no provider says what they took.",
    [{ model: "gpt-5-mini", requests: 6, input_tokens: 5120, output_tokens: 180 }]
  ),
  outcome: field(
    Schema.NullOr(Outcome),
    "The result of the conversation. Null until it is processed, usually within a minute of the end, and for calls that did not connect.",
    Example.outcome
  ),
  idempotentReplay: apart(
    Schema.optionalKey(Schema.Boolean),
    "Only on the answer to `POST /v1/calls`: whether an earlier request with the same `Idempotency-Key` made the call.",
    false
  )
})
export type Call = typeof Call.Type

/** A temporary link to a call's recording. */
export interface RecordingLink {
  readonly url: string
  readonly expiresAt: DateTime.Utc
}

/** Whether the event of a completed call is still to be written, because its outcome or its recording is. */
export const isUnreported = ({ outcomeState }: Pick<CallState, "outcomeState">): boolean =>
  outcomeState === "pending" || outcomeState === "awaiting_recording"

/** Whether the owner is shown a link to the recording. */
export const showsRecording = (record: CallRecord): boolean => record.hasRecording && record.status === "completed"

/** Why a waiting call is not dialed now, and the first instant at which it may be, if known. */
export interface Hold {
  readonly code: StatusCode.StatusCode
  readonly until?: DateTime.Utc
}

/** A hold of the past, or the latest one. */
export interface PastHold extends Hold {
  readonly at: DateTime.Utc
  /** How many holds before it are left out. */
  readonly omitted?: number
}

/** The public form of a record now; for a waiting call with its hold. */
export const fromRecord = (record: CallRecord, recording: Option.Option<RecordingLink>, hold?: Hold): Call => ({
  id: record.id,
  object: "call",
  status: record.status,
  ...(record.status === "queued" ? shownReason(hold?.code) : endReason(record)),
  ...(record.carrierReason !== undefined && isFinal(record.status) && { carrierReason: record.carrierReason }),
  ...(record.status === "queued" && hold?.until !== undefined && { scheduledFor: hold.until }),
  agentId: record.agentId,
  phoneNumber: record.phoneNumber,
  contact: record.contact,
  variables: record.variables,
  metadata: record.metadata,
  batchId: record.batchId,
  test: record.test,
  ...(record.endedAt !== undefined && { durationSeconds: talkedSeconds(record) }),
  createdAt: record.createdAt,
  ...(record.dialedAt !== undefined && { dialedAt: record.dialedAt }),
  ...(record.endedAt !== undefined && { endedAt: record.endedAt }),
  ...(record.answeredBy !== undefined && { answeredBy: record.answeredBy }),
  ...(Option.isSome(recording) && showsRecording(record) && {
    recordingUrl: recording.value.url,
    recordingExpiresAt: recording.value.expiresAt
  }),
  ...(record.cost !== undefined && { cost: record.cost }),
  ...(record.usage !== undefined && { usage: record.usage }),
  outcome: record.outcome
})

const shownReason = (code: StatusCode.StatusCode | undefined) =>
  code === undefined ? {} : { statusReason: StatusCode.reason(code), statusCode: code }

/** Why a call ended as it did. For an expired call also its last hold, and for a failed one what the carrier said: the code says neither. */
export const endReason = (
  { carrierReason, expiresAt, heldBy, statusCode }: CallState
): ReturnType<typeof shownReason> => {
  if (carrierReason !== undefined && (statusCode === "carrier_refused" || statusCode === "carrier_lost")) {
    return { statusReason: CarrierReason.explained(StatusCode.reason(statusCode), carrierReason), statusCode }
  }
  const held = heldBy === undefined ? undefined : StatusCode.reasonHeld(heldBy.code)
  if (statusCode !== "queue_expired" || held === undefined) return shownReason(statusCode)
  const until = heldBy?.until === undefined ? "" : ` until ${DateTime.formatIso(heldBy.until)}`
  return {
    statusReason: `Not dialed before it expired at ${DateTime.formatIso(expiresAt)}: ${held}${until}.`,
    statusCode
  }
}

/** Whether the dial counts towards limits and gaps: not when the carrier failed before a phone could ring. */
export const countsAsDial = ({ dialedAt, status, statusCode }: CallRecord): boolean =>
  dialedAt !== undefined && !(status === "failed" && statusCode === nothingRang)

/** The one failure after a dial that proves that no phone rang. A call that the carrier lost may have rung, so it counts. */
export const nothingRang: StatusCode.StatusCode = "carrier_refused"

/** From answer to hang-up, in whole seconds; 0 if the call was not answered. */
export const talkedSeconds = ({ answeredAt, endedAt }: CallRecord): number =>
  answeredAt === undefined || endedAt === undefined
    ? 0
    : Math.max(0, Math.round(Duration.toSeconds(DateTime.distance(answeredAt, endedAt))))
