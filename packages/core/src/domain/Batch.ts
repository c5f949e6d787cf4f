/**
 * A batch: up to 1,000 calls started in one request (spec §2.3, §4.5). Each row is checked on its own; the batch is
 * stored as a whole or not at all. A batch has no status: its counts are computed from its calls.
 */
import { DateTime, Schema } from "effect"
import { type CallRecord, CallStatus, HostStartCall, isFinal, StartCall } from "./Call.ts"
import * as Example from "./Examples.ts"
import { apart, field } from "./FieldDocs.ts"
import { type AccountId, AgentId, BatchId, CallId } from "./Ids.ts"
import { isErased, PhoneNumber } from "./PhoneNumber.ts"

const { agentId: _agentId, test: _test, ...rowFields } = StartCall.fields

/** One row of a request. */
export const BatchRow = Schema.Struct({
  agentId: apart(Schema.optionalKey(AgentId), "In place of the batch's agent.", Example.agentId),
  ...rowFields
})
export type BatchRow = typeof BatchRow.Type

/** One row as a TypeScript host writes it. */
export const HostBatchRow = Schema.Struct({
  ...BatchRow.fields,
  notBefore: HostStartCall.fields.notBefore,
  expiresAt: HostStartCall.fields.expiresAt
})

const rejectedRow = {
  index: 1,
  phone_number: "555",
  code: "invalid_request",
  message: "phone_number must be a telephone number in E.164 form",
  param: "/calls/1/phone_number"
}

/** A row that was not accepted. */
export const RejectedRow = Schema.Struct({
  index: field(Schema.Int, "The row's position in the request, from 0.", rejectedRow.index),
  phoneNumber: field(Schema.String, "The text that was sent, or `\"\"` if it was not text.", rejectedRow.phone_number),
  code: field(Schema.String, "Why, as one of the error codes.", rejectedRow.code),
  message: field(Schema.String, "Why, and what to do about it.", rejectedRow.message),
  param: field(
    Schema.optionalKey(Schema.String),
    "JSON Pointer into the request, if one field is wrong.",
    rejectedRow.param
  ),
  callId: apart(Schema.optionalKey(CallId), "The waiting call that the row duplicates.", Example.callId),
  missing: apart(Schema.optionalKey(Schema.Array(Schema.String)), "Variables that the agent's script needs.", [
    "appointment"
  ]),
  retryAt: apart(
    Schema.optionalKey(Schema.DateTimeUtc),
    "When the number's limits allow the next call.",
    "2026-03-03T10:00:00.000Z"
  )
})
export type RejectedRow = typeof RejectedRow.Type

/** A batch as it is stored. */
export interface BatchRecord {
  readonly id: BatchId
  readonly accountId: AccountId
  /** Null when every row has its own. */
  readonly agentId: AgentId | null
  readonly test: boolean
  readonly acceptedCount: number
  readonly rejected: ReadonlyArray<RejectedRow>
  readonly createdAt: DateTime.Utc
}

/** The state of one call that its batch needs. */
export type BatchCall = Pick<CallRecord, "id" | "batchIndex" | "phoneNumber" | "contact" | "status" | "endedAt">

const batchCall = {
  index: 0,
  id: Example.callId,
  phone_number: Example.phoneNumber,
  external_id: Example.contact.external_id,
  status: "queued"
}

/** An accepted row, and the status of its call. */
export const BatchCallRow = Schema.Struct({
  index: field(Schema.Int, "The row's position in the request, from 0.", batchCall.index),
  id: field(CallId, "The id of the row's call.", batchCall.id),
  phoneNumber: field(PhoneNumber, "The number, in E.164 form.", batchCall.phone_number),
  externalId: field(
    Schema.optionalKey(Schema.String),
    "The contact's `external_id`, where the row gave one.",
    batchCall.external_id
  ),
  status: field(CallStatus, "The status of the call.", batchCall.status)
})

const countOf = (status: CallStatus) => status === "queued" ? 1 : 0
const perStatus = <A>(of: (status: CallStatus) => A) =>
  // The keys are the literals of the status, one entry each.
  Object.fromEntries(CallStatus.literals.map((status) => [status, of(status)])) as { readonly [S in CallStatus]: A }

/** A batch as its owner sees it. A list shows it without its rows. */
export const Batch = Schema.Struct({
  id: field(BatchId, "The batch's id.", Example.batchId),
  object: field(Schema.Literal("batch"), "Always `batch`.", "batch"),
  status: field(
    Schema.Literals(["in_progress", "completed"]),
    "`completed` when all its calls have ended.",
    "in_progress"
  ),
  agentId: field(
    Schema.NullOr(AgentId),
    "The agent of rows that name none; null when every row has its own.",
    Example.agentId
  ),
  test: field(Schema.Boolean, "Whether its calls are only simulated.", false),
  acceptedCount: field(Schema.Int, "Rows that became calls.", 1),
  rejectedCount: field(Schema.Int, "Rows that were refused.", 1),
  counts: field(
    Schema.Struct(perStatus((status) => field(Schema.Int, `Calls that are \`${status}\`.`, countOf(status)))),
    "How many of its calls are in each status.",
    perStatus(countOf)
  ),
  calls: field(Schema.optionalKey(Schema.Array(BatchCallRow)), "One item per accepted row. Absent in lists.", [
    batchCall
  ]),
  rejected: field(Schema.optionalKey(Schema.Array(RejectedRow)), "One item per refused row. Absent in lists.", [
    rejectedRow
  ]),
  createdAt: field(Schema.DateTimeUtc, "When the batch was accepted.", Example.created),
  completedAt: apart(Schema.optionalKey(Schema.DateTimeUtc), "When the last of its calls had ended.", Example.ended),
  idempotentReplay: apart(
    Schema.optionalKey(Schema.Boolean),
    "Only on the answer to `POST /v1/batches`: whether an earlier request with the same `Idempotency-Key` made the batch.",
    false
  )
})
export type Batch = typeof Batch.Type

/** The batch with counts of its calls. `rows` adds the calls, except erased ones. */
export const fromRecord = (
  record: BatchRecord,
  calls: ReadonlyArray<BatchCall>,
  options: { readonly rows: boolean }
): Batch => {
  const completed = calls.every(({ status }) => isFinal(status))
  const counts: Record<CallStatus, number> = perStatus(() => 0)
  for (const { status } of calls) counts[status] += 1
  return {
    id: record.id,
    object: "batch",
    status: completed ? "completed" : "in_progress",
    agentId: record.agentId,
    test: record.test,
    acceptedCount: record.acceptedCount,
    rejectedCount: record.rejected.length,
    counts,
    ...(options.rows &&
      { calls: calls.filter((call) => !isErased(call.phoneNumber)).map(toRow), rejected: record.rejected }),
    createdAt: record.createdAt,
    ...(completed && { completedAt: lastEnd(record, calls) })
  }
}

const toRow = ({ batchIndex = 0, contact, id, phoneNumber, status }: BatchCall) => ({
  index: batchIndex,
  id,
  phoneNumber,
  ...(contact.externalId !== undefined && { externalId: contact.externalId }),
  status
})

const lastEnd = ({ createdAt }: BatchRecord, calls: ReadonlyArray<BatchCall>): DateTime.Utc =>
  calls.reduce((last, { endedAt }) => endedAt === undefined ? last : DateTime.max(last, endedAt), createdAt)
