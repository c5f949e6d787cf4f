/** Maps rows of batches, and what batches need of their calls. See `Rows`. */
import type { Batch, Ids, Storage } from "@outdial/core"
import { DateTime } from "effect"
import type * as CallRows from "./CallRows.ts"

export interface BatchRow {
  readonly account_id: Ids.AccountId
  readonly id: Ids.BatchId
  readonly agent_id: Ids.AgentId | null
  readonly test: boolean
  readonly accepted_count: number
  readonly rejected: ReadonlyArray<RejectedJson>
  /** As the driver reads `timestamptz`. */
  readonly created_at: Date
}

/** JSON holds instants as text. */
type RejectedJson = Omit<Batch.RejectedRow, "retryAt"> & { readonly retryAt?: string }

export type BatchCallRow = Pick<
  CallRows.CallRow,
  "id" | "batch_id" | "batch_index" | "phone_number" | "contact" | "status" | "ended_at"
>

/** The batches in order, each with its calls in order. */
export const toStored = (
  batches: ReadonlyArray<BatchRow>,
  calls: ReadonlyArray<BatchCallRow>
): ReadonlyArray<Storage.StoredBatch> => {
  const callsOf = Map.groupBy(calls, ({ batch_id }) => batch_id)
  return batches.map((row) => ({ batch: toBatch(row), calls: (callsOf.get(row.id) ?? []).map(toBatchCall) }))
}

export const toBatch = (row: BatchRow): Batch.BatchRecord => ({
  id: row.id,
  accountId: row.account_id,
  agentId: row.agent_id,
  test: row.test,
  acceptedCount: row.accepted_count,
  rejected: row.rejected.map(toRejected),
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

const toRejected = ({ retryAt, ...row }: RejectedJson): Batch.RejectedRow => ({
  ...row,
  ...(retryAt !== undefined && { retryAt: DateTime.makeUnsafe(retryAt) })
})

const toBatchCall = (row: BatchCallRow): Batch.BatchCall => ({
  id: row.id,
  ...(row.batch_index !== null && { batchIndex: row.batch_index }),
  phoneNumber: row.phone_number,
  contact: row.contact,
  status: row.status,
  ...(row.ended_at !== null && { endedAt: DateTime.fromDateUnsafe(row.ended_at) })
})

/** New calls in the form and order in which a read of their batch returns them. */
export const inRowOrder = (calls: ReadonlyArray<Batch.BatchCall>): ReadonlyArray<Batch.BatchCall> =>
  calls.toSorted((a, b) => (a.batchIndex ?? 0) - (b.batchIndex ?? 0)).map(
    ({ batchIndex, contact, endedAt, id, phoneNumber, status }) => ({
      id,
      ...(batchIndex !== undefined && { batchIndex }),
      phoneNumber,
      contact,
      status,
      ...(endedAt !== undefined && { endedAt })
    })
  )
