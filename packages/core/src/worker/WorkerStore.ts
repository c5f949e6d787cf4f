/** Port: the list of workers on a storage. It is for operators; no guarantee depends on it. */
import { Context, type DateTime, type Effect } from "effect"
import type { WorkerId } from "../domain/Ids.ts"
import type { Worker } from "../domain/Worker.ts"
import type { StorageError } from "../storage/StorageError.ts"

export class WorkerStore extends Context.Service<WorkerStore, {
  /** Adds the worker, or overwrites the one with its id. */
  readonly put: (worker: Worker) => Effect.Effect<void, StorageError>
  /** Safe to repeat. */
  readonly remove: (id: WorkerId) => Effect.Effect<void, StorageError>
  /** Workers seen after the instant, by (`startedAt`, `id`). */
  readonly list: (seenAfter: DateTime.Utc) => Effect.Effect<ReadonlyArray<Worker>, StorageError>
  /** Deletes workers that were not seen after the instant; returns how many. */
  readonly prune: (seenBefore: DateTime.Utc) => Effect.Effect<number, StorageError>
}>()("@outdial/core/worker/WorkerStore") {}
