/** What goes when it is old, in small sets that hold up nobody. */
import type { DateTime, Effect } from "effect"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

export interface PruneOptions {
  readonly accountId: AccountId
  readonly before: DateTime.Utc
  readonly limit: number
}

export interface Retaining {
  /** Deletes keys used by then, but for those whose calls have not all ended; answers how many. */
  readonly pruneIdempotencyKeys: (options: PruneOptions) => Effect.Effect<number, StorageError>
  /** Deletes request windows that nobody has used since; answers how many. */
  readonly pruneRequestWindows: (options: PruneOptions) => Effect.Effect<number, StorageError>
  /** Ended calls accepted by then whose usage is folded, and that nothing is still to be made of. */
  readonly oldCalls: (options: PruneOptions) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  /** Deletes these of them, and batches accepted by then of which no call is left; answers how many calls. */
  readonly deleteCalls: (
    options: PruneOptions & { readonly callIds: ReadonlyArray<CallId> }
  ) => Effect.Effect<number, StorageError>
  /** Ended calls accepted by then that still have a transcript, or a recording. */
  readonly oldTranscripts: (options: PruneOptions) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  /** Takes transcript and recording off these calls; the rest of the outcome stays. Answers how many calls. */
  readonly forgetTranscripts: (options: {
    readonly accountId: AccountId
    readonly callIds: ReadonlyArray<CallId>
  }) => Effect.Effect<number, StorageError>
}
