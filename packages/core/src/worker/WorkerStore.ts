/** The list of workers on a storage. It tells operators who is there; no promise rests on it. */
import type { DateTime, Effect } from "effect"
import type { WorkerId } from "../domain/Ids.ts"
import type { Worker } from "../domain/Worker.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface Workers {
  /** Adds the worker, or writes over the one with its id. */
  readonly putWorker: (worker: Worker) => Effect.Effect<void, StorageError>
  /** Safe to repeat. */
  readonly removeWorker: (id: WorkerId) => Effect.Effect<void, StorageError>
  /** Workers seen after the instant, by (`startedAt`, `id`). */
  readonly listWorkers: (seenAfter: DateTime.Utc) => Effect.Effect<ReadonlyArray<Worker>, StorageError>
  /** Deletes workers that were not seen after the instant; answers how many. */
  readonly pruneWorkers: (seenBefore: DateTime.Utc) => Effect.Effect<number, StorageError>
}
