/**
 * Checks rows and starts them, group by group. A request without an answer is repeated; each group is started with one key, so that a repetition
 * starts nothing twice.
 */
import { ApiError, isTemporary } from "../../data/ApiError.ts"
import type { Batch, RejectedRow } from "../../data/Wire.ts"
import { chunksOf, type Fault, faultOf, type PlannedRow } from "./BatchRows.ts"
import type { Column } from "./Columns.ts"

/** Pauses before repetitions, in milliseconds. After the last one the viewer decides. */
const pauses = [1_000, 2_000, 4_000, 8_000]

/** `pause` waits for milliseconds. */
export interface Repeating {
  readonly signal: AbortSignal
  readonly pause?: (milliseconds: number) => Promise<void>
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Does the request again while its failure is temporary. */
export const repeated = async <Answer>(
  request: () => Promise<Answer>,
  { pause = wait, signal }: Repeating
): Promise<Answer> => {
  for (let failures = 0;; failures++) {
    try {
      return await request()
    } catch (error) {
      const milliseconds = pauses[failures]
      if (milliseconds === undefined || !mayBeRepeated(error)) throw error
      await pause(milliseconds)
      signal.throwIfAborted()
    }
  }
}

/** Also when the first request with the key, whose answer was lost, is still being done. */
const mayBeRepeated = (error: unknown): boolean =>
  isTemporary(error) || (error instanceof ApiError && error.code === "idempotency_key_in_use")

export interface Checked {
  readonly good: ReadonlyArray<PlannedRow>
  readonly faults: ReadonlyArray<Fault>
}

export interface CheckOptions extends Repeating {
  readonly rows: ReadonlyArray<PlannedRow>
  readonly columns: ReadonlyArray<Column>
  readonly send: (
    calls: ReadonlyArray<PlannedRow["body"]>
  ) => Promise<{ readonly rejected: ReadonlyArray<RejectedRow> }>
  /** How many rows were checked so far. */
  readonly onProgress: (rows: number) => void
}

/** Has the server check all rows. Nothing is started. */
export const checkRows = async ({ columns, onProgress, rows, send, ...repeating }: CheckOptions): Promise<Checked> => {
  const good: Array<PlannedRow> = []
  const faults: Array<Fault> = []
  let checked = 0
  for (const chunk of chunksOf(rows)) {
    const { rejected } = await repeated(() => send(chunk.map(({ body }) => body)), repeating)
    const refused = new Set(rejected.map(({ index }) => index))
    good.push(...chunk.filter((_, index) => !refused.has(index)))
    faults.push(...rejected.flatMap((row) => faultOf(row, chunk, columns) ?? []))
    checked += chunk.length
    onProgress(checked)
  }
  return { good, faults }
}

/** A batch to be started, and what the server answered. */
export interface PlannedBatch {
  readonly key: string
  readonly rows: ReadonlyArray<PlannedRow>
  readonly batch?: Batch
}

/** `newKey` makes a key that no other request has. */
export const planBatches = (rows: ReadonlyArray<PlannedRow>, newKey: () => string): ReadonlyArray<PlannedBatch> =>
  chunksOf(rows).map((rows) => ({ key: newKey(), rows }))

export interface StartOptions extends Repeating {
  readonly batches: ReadonlyArray<PlannedBatch>
  readonly send: (batch: PlannedBatch) => Promise<Batch>
  /** After each batch: all of them, with those that are started. */
  readonly onStarted: (batches: ReadonlyArray<PlannedBatch>) => void
}

/** Starts the batches that are not started yet, in order. A failure leaves the others for another attempt. */
export const startBatches = async ({ batches, onStarted, send, ...repeating }: StartOptions): Promise<void> => {
  let current = batches
  for (const planned of batches) {
    if (planned.batch !== undefined) continue
    const batch = await repeated(() => send(planned), repeating)
    current = current.map((other) => other.key === planned.key ? { ...other, batch } : other)
    onStarted(current)
  }
}
