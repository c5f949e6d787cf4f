/** Calls as rows: see `Rows`, of which this is the part on the largest table. */
import type { Call, Ids, Lane, Outcome, Storage } from "@outdial/core"
import { DateTime } from "effect"

/** An instant as the driver reads `timestamptz`. */
type Instant = Date

export interface CallRow {
  readonly account_id: Ids.AccountId
  readonly id: Ids.CallId
  readonly agent_id: Ids.AgentId
  readonly agent_version: number
  readonly batch_id: Ids.BatchId | null
  readonly batch_index: number | null
  readonly test: boolean
  readonly phone_number: Call.CallRecord["phoneNumber"]
  readonly contact: Call.Contact
  readonly variables: Call.CallRecord["variables"]
  readonly metadata: Call.Metadata
  readonly status: Call.CallStatus
  readonly status_code: NonNullable<Call.CallRecord["statusCode"]> | null
  readonly created_at: Instant
  readonly lane: Lane.Lane
  readonly not_before: Instant | null
  readonly due_at: Instant
  readonly expires_at: Instant
  readonly unavailable_count: number
  readonly claim_token: Ids.ClaimToken | null
  readonly claim_epoch: number | null
  readonly lease_until: Instant | null
  readonly dial_by: Instant | null
  readonly submitted_at: Instant | null
  readonly carrier_call_id: Ids.CarrierCallId | null
  readonly dialed_at: Instant | null
  readonly answered_at: Instant | null
  readonly ended_at: Instant | null
  readonly answered_by: Call.AnsweredBy | null
  readonly has_recording: boolean
  readonly transcript: ReadonlyArray<Outcome.TranscriptTurn> | null
  readonly outcome: Outcome.Outcome | null
  readonly outcome_state: Call.OutcomeState
  readonly outcome_due_at: Instant | null
  readonly outcome_token: Ids.ClaimToken | null
}

export const toCall = (row: CallRow): Call.CallRecord => ({
  id: row.id,
  accountId: row.account_id,
  agentId: row.agent_id,
  agentVersion: row.agent_version,
  batchId: row.batch_id,
  ...(row.batch_index !== null && { batchIndex: row.batch_index }),
  test: row.test,
  phoneNumber: row.phone_number,
  contact: row.contact,
  variables: row.variables,
  metadata: row.metadata,
  status: row.status,
  ...(row.status_code !== null && { statusCode: row.status_code }),
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  lane: row.lane,
  ...(row.not_before !== null && { notBefore: DateTime.fromDateUnsafe(row.not_before) }),
  dueAt: DateTime.fromDateUnsafe(row.due_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at),
  unavailableCount: row.unavailable_count,
  ...toClaim(row),
  ...(row.dialed_at !== null && { dialedAt: DateTime.fromDateUnsafe(row.dialed_at) }),
  ...(row.answered_at !== null && { answeredAt: DateTime.fromDateUnsafe(row.answered_at) }),
  ...(row.ended_at !== null && { endedAt: DateTime.fromDateUnsafe(row.ended_at) }),
  ...(row.answered_by !== null && { answeredBy: row.answered_by }),
  hasRecording: row.has_recording,
  ...(row.transcript !== null && { transcript: row.transcript }),
  outcome: row.outcome,
  outcomeState: row.outcome_state,
  ...(row.outcome_due_at !== null && { outcomeDueAt: DateTime.fromDateUnsafe(row.outcome_due_at) }),
  ...(row.outcome_token !== null && { outcomeToken: row.outcome_token })
})

const toClaim = (row: CallRow): { readonly claim?: Call.Claim } =>
  row.claim_token === null || row.claim_epoch === null || row.lease_until === null || row.dial_by === null ? {} : {
    claim: {
      token: row.claim_token,
      epoch: row.claim_epoch,
      leaseUntil: DateTime.fromDateUnsafe(row.lease_until),
      dialBy: DateTime.fromDateUnsafe(row.dial_by),
      ...(row.submitted_at !== null && { submittedAt: DateTime.fromDateUnsafe(row.submitted_at) }),
      ...(row.carrier_call_id !== null && { carrierCallId: row.carrier_call_id })
    }
  }

export interface StaleRow extends Pick<CallRow, "id" | "submitted_at" | "carrier_call_id"> {
  /** Calls with a lease have a claim, says the table. */
  readonly claim_token: Ids.ClaimToken
}

export const toStaleCall = (row: StaleRow): Storage.StaleCall => ({
  callId: row.id,
  token: row.claim_token,
  ...(row.submitted_at !== null && { submittedAt: DateTime.fromDateUnsafe(row.submitted_at) }),
  ...(row.carrier_call_id !== null && { carrierCallId: row.carrier_call_id })
})

/** What never changes of a call, as a row to be written. Documents are text inside the row's JSON: see `CallWrites`. */
export const fromNewCall = (call: Call.CallRecord) => ({
  ...fromCall(call),
  agent_id: call.agentId,
  agent_version: call.agentVersion,
  batch_id: call.batchId,
  batch_index: call.batchIndex,
  priority: call.batchId === null ? 0 : 1,
  test: call.test,
  phone_number: call.phoneNumber,
  contact: JSON.stringify(call.contact),
  external_id: call.contact.externalId === undefined ? undefined : escaped(call.contact.externalId),
  variables: JSON.stringify(call.variables),
  metadata: JSON.stringify(call.metadata),
  created_at: DateTime.formatIso(call.createdAt),
  expires_at: DateTime.formatIso(call.expiresAt)
})

/** What changes of a call, as a row to be written; what is absent becomes null. */
export const fromCall = (call: Call.CallRecord) => ({
  id: call.id,
  status: call.status,
  status_code: call.statusCode,
  lane: call.lane,
  not_before: instant(call.notBefore),
  due_at: DateTime.formatIso(call.dueAt),
  unavailable_count: call.unavailableCount,
  claim_token: call.claim?.token,
  claim_epoch: call.claim?.epoch,
  lease_until: instant(call.claim?.leaseUntil),
  dial_by: instant(call.claim?.dialBy),
  submitted_at: instant(call.claim?.submittedAt),
  carrier_call_id: call.claim?.carrierCallId,
  dialed_at: instant(call.dialedAt),
  answered_at: instant(call.answeredAt),
  ended_at: instant(call.endedAt),
  answered_by: call.answeredBy,
  has_recording: call.hasRecording,
  transcript: call.transcript === undefined ? undefined : JSON.stringify(call.transcript),
  outcome: call.outcome === null ? undefined : JSON.stringify(call.outcome),
  outcome_state: call.outcomeState,
  outcome_due_at: instant(call.outcomeDueAt),
  outcome_token: call.outcomeToken
})

/** An external id as its column has it: with JSON's escapes, because text takes neither NUL nor half a surrogate pair. */
export const escaped = (externalId: string): string => JSON.stringify(externalId).slice(1, -1)

const instant = (at: DateTime.Utc | undefined): string | undefined =>
  at === undefined ? undefined : DateTime.formatIso(at)
