/**
 * Port: deletes data past its retention, in small sets that block no other work, and erases the data of one callee.
 * What the rules must still know stays under the number's alias: a keyed hash in place of the number, which reveals
 * nothing without the account's key.
 */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { RejectedRow } from "../domain/Batch.ts"
import type { EventRecord, EventWriter } from "../domain/Event.ts"
import type { AccountId, BatchId, CallId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { PruneOptions } from "../storage/WorkStore.ts"

/** The callee to erase, and the alias of the number. */
export interface ErasedCallee {
  readonly accountId: AccountId
  readonly phoneNumber: PhoneNumber
  readonly alias: PhoneNumber
}

/** Returns the new body of an erased event. */
export type EventEraser = (event: EventRecord) => string

export type BeginErasureResult =
  | { readonly _tag: "Begun"; readonly canceled: number; readonly doNotCall: boolean }
  /** A call to the number is live, or its outcome is pending. */
  | { readonly _tag: "Busy"; readonly callId: CallId }

export class PrivacyStore extends Context.Service<PrivacyStore, {
  /** Deletes keys used before then, except those with a call that has not ended; returns how many. */
  readonly pruneIdempotencyKeys: (options: PruneOptions) => Effect.Effect<number, StorageError>
  /** Deletes request windows that were not used since; returns how many. */
  readonly pruneRequestWindows: (options: PruneOptions) => Effect.Effect<number, StorageError>
  /** Ended calls accepted before then whose usage is folded and that were reported. */
  readonly oldCalls: (options: PruneOptions) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  /**
   * Calls that have lost a recording, by a change of the call or by a method of this store, and whose file may not be removed yet; at most
   * `limit`. Calls that were deleted are among them.
   */
  readonly unwantedRecordings: (options: {
    readonly accountId: AccountId
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  /** The files of these are removed. */
  readonly forgetRecordings: (options: {
    readonly accountId: AccountId
    readonly callIds: ReadonlyArray<CallId>
  }) => Effect.Effect<void, StorageError>
  /** Deletes these calls, and batches accepted before then without calls; returns how many calls. */
  readonly deleteCalls: (
    options: PruneOptions & { readonly callIds: ReadonlyArray<CallId> }
  ) => Effect.Effect<number, StorageError>
  /** Ended calls accepted by then that still have a transcript or a recording. */
  readonly oldTranscripts: (options: PruneOptions) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  /** Deletes transcript and recording of these calls; the rest of the outcome stays. Returns how many calls. */
  readonly deleteTranscripts: (options: {
    readonly accountId: AccountId
    readonly callIds: ReadonlyArray<CallId>
  }) => Effect.Effect<number, StorageError>

  /**
   * Cancels calls that wait for the number, with nothing about the callee in their events, and moves its do-not-call entry to the
   * alias. Waits for running requests that may start a call: after it returns, the rules find the facts under the alias. Safe to
   * repeat.
   */
  readonly beginErasure: (
    options: ErasedCallee & {
      readonly now: DateTime.Utc
      readonly events: EventWriter
      readonly eraser: EventEraser
    }
  ) => Effect.Effect<BeginErasureResult, StorageError>
  /** Ended calls to the number that were accepted by then, at most `limit`. */
  readonly callsToErase: (options: {
    readonly accountId: AccountId
    readonly phoneNumber: PhoneNumber
    readonly until: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  /**
   * Erases these calls to the number by `Erasure.erasedCall`, the bodies of their events, and the fingerprints of the requests that
   * started them; returns how many calls and events.
   */
  readonly eraseCalls: (
    options: ErasedCallee & { readonly callIds: ReadonlyArray<CallId>; readonly eraser: EventEraser }
  ) => Effect.Effect<{ readonly calls: number; readonly events: number }, StorageError>
  /** Rewrites rejected rows of the batches after `after`, in order of their ids; `next` is where to continue. */
  readonly eraseRejectedRows: (options: {
    readonly accountId: AccountId
    readonly after: Option.Option<BatchId>
    readonly limit: number
    /** Returns the new row; the same object leaves it unchanged. */
    readonly eraser: (row: RejectedRow) => RejectedRow
  }) => Effect.Effect<{ readonly rows: number; readonly next: Option.Option<BatchId> }, StorageError>
}>()("@outdial/core/privacy/PrivacyStore") {}
