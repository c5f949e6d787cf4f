/**
 * A batch: up to 1,000 calls started in one request (spec §2.3, §4.5). Each row is checked by itself; the whole is kept or
 * not. A batch has no state of its own: what stands of it is counted from its calls.
 */
import { DateTime, Schema } from "effect"
import { type CallRecord, CallStatus, HostStartCall, isFinal, StartCall } from "./Call.ts"
import { type AccountId, AgentId, BatchId, CallId } from "./Ids.ts"
import { isErased, PhoneNumber } from "./PhoneNumber.ts"

/** One row, as a request has it. */
export const BatchRow = Schema.Struct({
  agentId: Schema.optionalKey(AgentId),
  phoneNumber: StartCall.fields.phoneNumber,
  contact: StartCall.fields.contact,
  variables: StartCall.fields.variables,
  metadata: StartCall.fields.metadata,
  notBefore: StartCall.fields.notBefore,
  expiresAt: StartCall.fields.expiresAt
})
export type BatchRow = typeof BatchRow.Type

/** One row as hosts in TypeScript write it. */
export const HostBatchRow = Schema.Struct({
  ...BatchRow.fields,
  notBefore: HostStartCall.fields.notBefore,
  expiresAt: HostStartCall.fields.expiresAt
})

/** A row that was not accepted. */
export const RejectedRow = Schema.Struct({
  index: Schema.Int,
  /** What was sent, or `""` where that was no text. */
  phoneNumber: Schema.String,
  code: Schema.String,
  message: Schema.String,
  /** JSON Pointer into the request, where one field is to blame. */
  param: Schema.optionalKey(Schema.String),
  /** The call that is in the way. */
  callId: Schema.optionalKey(CallId),
  /** Variables that the agent's script needs. */
  missing: Schema.optionalKey(Schema.Array(Schema.String)),
  /** When the number's limits allow the next call. */
  retryAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type RejectedRow = typeof RejectedRow.Type

/** A batch as storage keeps it. */
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

/** What a batch needs to know of one of its calls. */
export type BatchCall = Pick<CallRecord, "id" | "batchIndex" | "phoneNumber" | "contact" | "status" | "endedAt">

/** An accepted row, and how its call stands. */
export const BatchCallRow = Schema.Struct({
  index: Schema.Int,
  id: CallId,
  phoneNumber: PhoneNumber,
  externalId: Schema.optionalKey(Schema.String),
  status: CallStatus
})

/** A batch as its owner sees it. A list shows it without its rows. */
export const Batch = Schema.Struct({
  id: BatchId,
  object: Schema.Literal("batch"),
  status: Schema.Literals(["in_progress", "completed"]),
  agentId: Schema.NullOr(AgentId),
  test: Schema.Boolean,
  acceptedCount: Schema.Int,
  rejectedCount: Schema.Int,
  /** How many of its calls are in each status. */
  counts: Schema.Struct(
    // One entry per status: the keys are the literals themselves.
    Object.fromEntries(CallStatus.literals.map((status) => [status, Schema.Int])) as {
      readonly [Status in CallStatus]: typeof Schema.Int
    }
  ),
  calls: Schema.optionalKey(Schema.Array(BatchCallRow)),
  rejected: Schema.optionalKey(Schema.Array(RejectedRow)),
  createdAt: Schema.DateTimeUtc,
  /** When the last of its calls had ended. */
  completedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Only on the answer that started it: whether an earlier request with the same key had. */
  idempotentReplay: Schema.optionalKey(Schema.Boolean)
})
export type Batch = typeof Batch.Type

/** The batch as it stands with its calls; `rows` adds them one by one, without those that were erased. */
export const fromRecord = (
  record: BatchRecord,
  calls: ReadonlyArray<BatchCall>,
  options: { readonly rows: boolean }
): Batch => {
  const completed = calls.every(({ status }) => isFinal(status))
  const counts = Object.fromEntries(CallStatus.literals.map((status) => [status, 0])) as Record<CallStatus, number>
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
