/** Maps rows of calls, the largest table. See `Rows`. */
import type { Call, Conversation, Event, Ids, Lane, Outcome, PhoneNumber, Storage } from "@outdial/core"
import { DateTime } from "effect"

/** An instant as the driver reads `timestamptz`. */
type Instant = Date

/** The request. */
export interface TermsRow {
  readonly agent_id: Ids.AgentId
  readonly agent_version: number
  readonly batch_id: Ids.BatchId | null
  readonly batch_index: number | null
  readonly contact: Call.Contact
  readonly variables: Call.CallRecord["variables"]
  readonly metadata: Call.Metadata
}

/** The state, which state changes read and write. */
export interface StateRow {
  readonly account_id: Ids.AccountId
  readonly id: Ids.CallId
  readonly test: boolean
  readonly phone_number: Call.CallRecord["phoneNumber"]
  readonly status: Call.CallStatus
  readonly status_code: NonNullable<Call.CallRecord["statusCode"]> | null
  readonly created_at: Instant
  readonly lane: Lane.Lane
  readonly not_before: Instant | null
  readonly due_at: Instant
  readonly expires_at: Instant
  readonly holds: ReadonlyArray<HoldRow> | null
  readonly decision: Call.CallState["decision"] | null
  readonly held_by: Call.Hold["code"] | null
  readonly held_until: Instant | null
  readonly unavailable_count: number
  readonly claim_token: Ids.ClaimToken | null
  readonly claim_epoch: number | null
  readonly lease_until: Instant | null
  readonly dial_by: Instant | null
  readonly submitted_at: Instant | null
  readonly carrier_call_id: Ids.CarrierCallId | null
  /** Belongs to the claim; not cleared when the claim ends. */
  readonly hang_up_at: Instant | null
  readonly ended_carrier_call_id: Ids.CarrierCallId | null
  readonly carrier: Ids.CarrierName | null
  readonly carrier_reason: Call.CallState["carrierReason"] | null
  readonly dialed_at: Instant | null
  readonly answered_at: Instant | null
  readonly ended_at: Instant | null
  readonly answered_by: Call.AnsweredBy | null
  readonly machine: Conversation.MachineKind | null
  readonly has_recording: boolean
  /** As text: see the migration `0018_announced_recordings`. */
  readonly recording_due_at: string | null
  readonly conversation: Call.ConversationState | null
  /** As text: see the migration `0010_conversations`. */
  readonly contact_spoke_at: string | null
  readonly line_ended_at: Instant | null
  /** As text, too. */
  readonly transferred_at: string | null
  readonly line_end_code: NonNullable<Call.LineEnd["code"]> | null
  /** The transcript, also when it is part of the outcome: it is stored once. */
  readonly transcript: ReadonlyArray<Outcome.TranscriptTurn> | null
  readonly notes: Call.CallState["notes"] | null
  readonly cost: Call.CallState["cost"] | null
  readonly usage: Call.CallState["usage"] | null
  readonly outcome: Omit<Outcome.Outcome, "transcript"> | null
  /** `awaiting_recording` is stored as `pending`, with `made_outcome`: see the migration `0018_announced_recordings`. */
  readonly outcome_state: Exclude<Call.OutcomeState, "awaiting_recording">
  /** Left behind, without meaning, when a node of an earlier version has reported the call. */
  readonly made_outcome: { readonly outcome: StateRow["outcome"] } | null
  readonly outcome_due_at: Instant | null
  readonly outcome_token: Ids.ClaimToken | null
  readonly outcome_lease_until: Instant | null
}

/** A hold as stored: a `PastHold` as JSON. */
interface HoldRow extends Omit<Call.PastHold, "at" | "until"> {
  readonly at: string
  readonly until?: string
}

/** A whole call. */
export interface CallRow extends TermsRow, StateRow {}

export const toCall = (row: CallRow): Call.CallRecord => ({ ...toState(row), ...toTerms(row) })

export const toTerms = (row: TermsRow): Call.CallTerms => ({
  agentId: row.agent_id,
  agentVersion: row.agent_version,
  batchId: row.batch_id,
  ...(row.batch_index !== null && { batchIndex: row.batch_index }),
  contact: row.contact,
  variables: row.variables,
  metadata: row.metadata
})

export const toState = (row: StateRow): Call.CallState => ({
  id: row.id,
  accountId: row.account_id,
  test: row.test,
  phoneNumber: row.phone_number,
  status: row.status,
  ...(row.status_code !== null && { statusCode: row.status_code }),
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  lane: row.lane,
  ...(row.not_before !== null && { notBefore: DateTime.fromDateUnsafe(row.not_before) }),
  dueAt: DateTime.fromDateUnsafe(row.due_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at),
  ...(row.holds && { holds: row.holds.map(toPastHold) }),
  ...(row.decision && { decision: row.decision }),
  ...(row.held_by !== null && { heldBy: toHold(row.held_by, row.held_until) }),
  unavailableCount: row.unavailable_count,
  ...toClaim(row),
  ...(row.ended_carrier_call_id !== null && { endedCarrierCallId: row.ended_carrier_call_id }),
  ...(row.carrier !== null && { carrier: row.carrier }),
  ...(row.carrier_reason && { carrierReason: row.carrier_reason }),
  ...(row.dialed_at !== null && { dialedAt: DateTime.fromDateUnsafe(row.dialed_at) }),
  ...(row.answered_at !== null && { answeredAt: DateTime.fromDateUnsafe(row.answered_at) }),
  ...(row.ended_at !== null && { endedAt: DateTime.fromDateUnsafe(row.ended_at) }),
  ...(row.answered_by !== null && { answeredBy: row.answered_by }),
  ...(row.machine !== null && { machine: row.machine }),
  hasRecording: row.has_recording,
  ...(row.recording_due_at !== null && { recordingDueAt: DateTime.makeUnsafe(row.recording_due_at) }),
  ...(row.conversation !== null && { conversation: row.conversation }),
  ...(row.contact_spoke_at !== null && { contactSpokeAt: DateTime.makeUnsafe(row.contact_spoke_at) }),
  ...(row.transferred_at !== null && { transferredAt: DateTime.makeUnsafe(row.transferred_at) }),
  ...(row.line_ended_at !== null && { lineEnd: toLineEnd(row.line_ended_at, row.line_end_code) }),
  ...(row.notes && { notes: row.notes }),
  ...(row.cost && { cost: row.cost }),
  ...(row.usage && { usage: row.usage }),
  ...toOutcome(row),
  ...(row.outcome_due_at !== null && { outcomeDueAt: DateTime.fromDateUnsafe(row.outcome_due_at) }),
  ...(row.outcome_token !== null && { outcomeToken: row.outcome_token }),
  ...(row.outcome_lease_until !== null && { outcomeLeaseUntil: DateTime.fromDateUnsafe(row.outcome_lease_until) })
})

const toHold = (code: Call.Hold["code"], until: Instant | null): Call.Hold => ({
  code,
  ...(until !== null && { until: DateTime.fromDateUnsafe(until) })
})

const toPastHold = ({ at, until, ...hold }: HoldRow): Call.PastHold => ({
  ...hold,
  at: DateTime.makeUnsafe(at),
  ...(until !== undefined && { until: DateTime.makeUnsafe(until) })
})

const toLineEnd = (at: Instant, code: StateRow["line_end_code"]): Call.LineEnd => ({
  at: DateTime.fromDateUnsafe(at),
  ...(code !== null && { code })
})

const toOutcome = (row: StateRow): Pick<Call.CallState, "outcome" | "outcomeState" | "transcript"> => {
  const { made_outcome: made, outcome_state, transcript } = row
  const isAwaiting = outcome_state === "pending" && made !== null
  const outcome = isAwaiting ? made.outcome : row.outcome
  return {
    outcomeState: isAwaiting ? "awaiting_recording" : outcome_state,
    ...(outcome === null
      ? { outcome, ...(transcript !== null && { transcript }) }
      : { outcome: { ...outcome, transcript: transcript ?? [] } })
  }
}

const toClaim = (row: StateRow): { readonly claim?: Call.Claim } =>
  row.claim_token === null || row.claim_epoch === null || row.lease_until === null || row.dial_by === null ? {} : {
    claim: {
      token: row.claim_token,
      epoch: row.claim_epoch,
      leaseUntil: DateTime.fromDateUnsafe(row.lease_until),
      dialBy: DateTime.fromDateUnsafe(row.dial_by),
      ...(row.submitted_at !== null && { submittedAt: DateTime.fromDateUnsafe(row.submitted_at) }),
      ...(row.carrier_call_id !== null && { carrierCallId: row.carrier_call_id }),
      ...(row.hang_up_at !== null && { hangUpAt: DateTime.fromDateUnsafe(row.hang_up_at) })
    }
  }

export interface StaleRow
  extends Pick<StateRow, "carrier" | "carrier_call_id" | "hang_up_at" | "id" | "phone_number" | "submitted_at">
{
  readonly caller_id: PhoneNumber.PhoneNumber | null
  /** Not null: a constraint of the table says that a call with a lease has a claim. */
  readonly claim_token: Ids.ClaimToken
}

export const toStaleCall = (row: StaleRow): Storage.StaleCall => ({
  callId: row.id,
  token: row.claim_token,
  phoneNumber: row.phone_number,
  ...(row.carrier !== null && { carrier: row.carrier }),
  ...(row.caller_id !== null && { callerId: row.caller_id }),
  ...(row.submitted_at !== null && { submittedAt: DateTime.fromDateUnsafe(row.submitted_at) }),
  ...(row.carrier_call_id !== null && { carrierCallId: row.carrier_call_id }),
  ...(row.hang_up_at !== null && { hangUpAt: DateTime.fromDateUnsafe(row.hang_up_at) })
})

/** A column that state changes write: its value of a call, and the type sent. Documents are text: see `CallWriter`. */
interface Column {
  readonly name: string
  readonly type: "boolean" | "int" | "json" | "text" | "timestamptz"
  readonly of: (call: Call.CallState) => unknown
}

const columns: ReadonlyArray<Column> = [
  { name: "status", type: "text", of: (call) => call.status },
  { name: "status_code", type: "text", of: (call) => call.statusCode },
  { name: "lane", type: "text", of: (call) => call.lane },
  { name: "not_before", type: "timestamptz", of: (call) => call.notBefore },
  { name: "due_at", type: "timestamptz", of: (call) => call.dueAt },
  { name: "holds", type: "json", of: (call) => call.holds },
  { name: "decision", type: "json", of: (call) => call.decision },
  { name: "held_by", type: "text", of: (call) => call.heldBy?.code },
  { name: "held_until", type: "timestamptz", of: (call) => call.heldBy?.until },
  { name: "unavailable_count", type: "int", of: (call) => call.unavailableCount },
  { name: "claim_token", type: "text", of: (call) => call.claim?.token },
  { name: "claim_epoch", type: "int", of: (call) => call.claim?.epoch },
  { name: "lease_until", type: "timestamptz", of: (call) => call.claim?.leaseUntil },
  { name: "dial_by", type: "timestamptz", of: (call) => call.claim?.dialBy },
  { name: "submitted_at", type: "timestamptz", of: (call) => call.claim?.submittedAt },
  { name: "carrier_call_id", type: "text", of: (call) => call.claim?.carrierCallId },
  { name: "ended_carrier_call_id", type: "text", of: (call) => call.endedCarrierCallId },
  { name: "carrier", type: "text", of: (call) => call.carrier },
  { name: "carrier_reason", type: "json", of: (call) => call.carrierReason },
  { name: "dialed_at", type: "timestamptz", of: (call) => call.dialedAt },
  { name: "answered_at", type: "timestamptz", of: (call) => call.answeredAt },
  { name: "ended_at", type: "timestamptz", of: (call) => call.endedAt },
  { name: "answered_by", type: "text", of: (call) => call.answeredBy },
  { name: "machine", type: "text", of: (call) => call.machine },
  { name: "has_recording", type: "boolean", of: (call) => call.hasRecording },
  {
    name: "recording_due_at",
    type: "text",
    of: ({ recordingDueAt }) => recordingDueAt && DateTime.formatIso(recordingDueAt)
  },
  { name: "conversation", type: "text", of: (call) => call.conversation },
  {
    name: "contact_spoke_at",
    type: "text",
    of: ({ contactSpokeAt }) => contactSpokeAt && DateTime.formatIso(contactSpokeAt)
  },
  {
    name: "transferred_at",
    type: "text",
    of: ({ transferredAt }) => transferredAt && DateTime.formatIso(transferredAt)
  },
  { name: "line_ended_at", type: "timestamptz", of: (call) => call.lineEnd?.at },
  { name: "line_end_code", type: "text", of: (call) => call.lineEnd?.code },
  { name: "notes", type: "json", of: (call) => call.notes },
  { name: "cost", type: "json", of: (call) => call.cost },
  { name: "usage", type: "json", of: (call) => call.usage },
  { name: "transcript", type: "json", of: (call) => transcriptOf(call) },
  { name: "outcome", type: "json", of: (call) => isAwaiting(call) ? undefined : outcomeOf(call) },
  {
    name: "made_outcome",
    type: "json",
    of: (call) => isAwaiting(call) ? { outcome: outcomeOf(call) ?? null } : undefined
  },
  { name: "outcome_state", type: "text", of: (call) => isAwaiting(call) ? "pending" : call.outcomeState },
  { name: "outcome_due_at", type: "timestamptz", of: (call) => call.outcomeDueAt },
  { name: "outcome_token", type: "text", of: (call) => call.outcomeToken },
  { name: "outcome_lease_until", type: "timestamptz", of: (call) => call.outcomeLeaseUntil }
]

const isAwaiting = ({ outcomeState }: Call.CallState) => outcomeState === "awaiting_recording"

const transcriptOf = ({ outcome, transcript }: Call.CallState) => outcome?.transcript ?? transcript

const outcomeOf = ({ outcome }: Call.CallState) => outcome === null ? undefined : storedOutcome(outcome)

/** An outcome as stored: its transcript is a column of its own. */
export const storedOutcome = (
  outcome: Outcome.Outcome | null
): Omit<Outcome.Outcome, "transcript"> | undefined => {
  if (outcome === null) return undefined
  const { transcript: _, ...rest } = outcome
  return rest
}

/** The columns that the changes write. JSON is compared as text: an outcome copies its transcript. */
export const columnsOf = (changes: ReadonlyArray<Event.StateChange>): ReadonlyArray<Column> =>
  columns.filter(({ of, type }) =>
    changes.some(({ after, before }) => {
      if (before === undefined) return true
      const [was, is] = [of(before), of(after)]
      return was !== is && (type !== "json" || encoded(was, type) !== encoded(is, type))
    })
  )

/** These columns of a call as a row to be written; absent values become null. */
export const fromState = (call: Call.CallState, written: ReadonlyArray<Column>) => {
  const row: { [name: string]: unknown } = { id: call.id }
  for (const { name, of, type } of written) row[name] = encoded(of(call), type)
  return row
}

const encoded = (value: unknown, type: Column["type"]): unknown => {
  if (value === undefined) return undefined
  if (type === "json") return JSON.stringify(value)
  return DateTime.isDateTime(value) ? DateTime.formatIso(value) : value
}

/** A column of a new call: the type sent, and its value of a call. Documents are text: see `CallWriter`. */
interface NewColumn {
  readonly name: string
  readonly type: "boolean" | "int" | "text" | "timestamptz"
  readonly of: (call: Call.CallRecord) => unknown
}

const date = (at: DateTime.Utc | undefined) => at && DateTime.toDateUtc(at)

/** A new call has no claim and no carrier. */
export const newColumns: ReadonlyArray<NewColumn> = [
  { name: "id", type: "text", of: (call) => call.id },
  { name: "agent_id", type: "text", of: (call) => call.agentId },
  { name: "agent_version", type: "int", of: (call) => call.agentVersion },
  { name: "batch_id", type: "text", of: (call) => call.batchId },
  { name: "batch_index", type: "int", of: (call) => call.batchIndex },
  { name: "priority", type: "int", of: (call) => call.batchId === null ? 0 : 1 },
  { name: "test", type: "boolean", of: (call) => call.test },
  { name: "phone_number", type: "text", of: (call) => call.phoneNumber },
  { name: "contact", type: "text", of: (call) => JSON.stringify(call.contact) },
  { name: "external_id", type: "text", of: ({ contact: { externalId } }) => externalId && escaped(externalId) },
  { name: "variables", type: "text", of: (call) => JSON.stringify(call.variables) },
  { name: "metadata", type: "text", of: (call) => JSON.stringify(call.metadata) },
  { name: "status", type: "text", of: (call) => call.status },
  { name: "status_code", type: "text", of: (call) => call.statusCode },
  { name: "created_at", type: "timestamptz", of: (call) => date(call.createdAt) },
  { name: "lane", type: "text", of: (call) => call.lane },
  { name: "not_before", type: "timestamptz", of: (call) => date(call.notBefore) },
  { name: "due_at", type: "timestamptz", of: (call) => date(call.dueAt) },
  { name: "expires_at", type: "timestamptz", of: (call) => date(call.expiresAt) },
  { name: "holds", type: "text", of: (call) => encoded(call.holds, "json") },
  { name: "unavailable_count", type: "int", of: (call) => call.unavailableCount },
  { name: "dialed_at", type: "timestamptz", of: (call) => date(call.dialedAt) },
  { name: "answered_at", type: "timestamptz", of: (call) => date(call.answeredAt) },
  { name: "ended_at", type: "timestamptz", of: (call) => date(call.endedAt) },
  { name: "answered_by", type: "text", of: (call) => call.answeredBy },
  { name: "has_recording", type: "boolean", of: (call) => call.hasRecording },
  { name: "transcript", type: "text", of: (call) => encoded(transcriptOf(call), "json") },
  { name: "outcome", type: "text", of: (call) => encoded(outcomeOf(call), "json") },
  { name: "outcome_state", type: "text", of: (call) => call.outcomeState },
  { name: "outcome_due_at", type: "timestamptz", of: (call) => date(call.outcomeDueAt) }
]

/** The calls' values of a column, in order; null if all are null. */
export const valuesOf = ({ of }: NewColumn, calls: ReadonlyArray<Call.CallRecord>): ReadonlyArray<unknown> | null => {
  const values = calls.map((call) => of(call) ?? null)
  return values.some((value) => value !== null) ? values : null
}

/** An external id as stored: with JSON's escapes, because text takes neither NUL nor half a surrogate pair. */
export const escaped = (externalId: string): string => JSON.stringify(externalId).slice(1, -1)
