/**
 * Erasing what is kept of one callee. What the rules must still know stays under the number's alias: a keyed hash, which stands
 * where the number stood and tells nothing without the account's key.
 */
import type { DateTime, Effect, Option } from "effect"
import type { RejectedRow } from "../domain/Batch.ts"
import type { EventRecord, EventWriter } from "../domain/Event.ts"
import type { AccountId, BatchId, CallId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** The aliases of the numbers under the account's key. */
export type AliasesOf = (
  key: SealedSecret,
  numbers: ReadonlyArray<PhoneNumber>
) => Effect.Effect<ReadonlyMap<PhoneNumber, PhoneNumber>, StorageError>

/** Whose data goes, and what takes the place of the number. */
export interface ErasedCallee {
  readonly accountId: AccountId
  readonly phoneNumber: PhoneNumber
  readonly alias: PhoneNumber
}

/** What becomes of an event's body. */
export type EventEraser = (event: EventRecord) => string

export type BeginErasureResult =
  | { readonly _tag: "Begun"; readonly canceled: number; readonly doNotCall: boolean }
  /** A call to the number goes on, or its outcome is still being made. */
  | { readonly _tag: "Busy"; readonly callId: CallId }

export interface SealedErasureKey {
  readonly accountId: AccountId
  readonly key: SealedSecret
}

export interface Erasing {
  /** The account's key: this one, unless it has one. */
  readonly keepErasureKey: (sealed: SealedErasureKey) => Effect.Effect<SealedSecret, StorageError>
  /** Keys of all accounts that are sealed under any other key, by account id, those behind `after`. For operators. */
  readonly listErasureKeysOtherwise: (options: {
    readonly keyIds: ReadonlyArray<string>
    readonly after: Option.Option<AccountId>
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<SealedErasureKey>, StorageError>
  /** Puts another in its place, if it is still this one; answers whether it was. */
  readonly replaceErasureKey: (
    options: SealedErasureKey & { readonly by: SealedSecret }
  ) => Effect.Effect<boolean, StorageError>

  /**
   * Cancels what waits for the number, without a word of the callee in its event, and moves its entry on the do-not-call list
   * to the alias. Waits for requests under way that may start a call: from its return on the rules find what stands under the
   * alias. Safe to repeat.
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
   * Erases these calls to the number by `Erasure.erasedCall`, the bodies of their events, and the fingerprints of the requests
   * that made them; answers how many calls and events that were.
   */
  readonly eraseCalls: (
    options: ErasedCallee & { readonly callIds: ReadonlyArray<CallId>; readonly eraser: EventEraser }
  ) => Effect.Effect<{ readonly calls: number; readonly events: number }, StorageError>
  /** Rewrites rejected rows of the batches behind `after`, in the order of their ids; `next` is where to go on. */
  readonly eraseRejectedRows: (options: {
    readonly accountId: AccountId
    readonly after: Option.Option<BatchId>
    readonly limit: number
    /** The row as it is to be; the same one when it stays. */
    readonly eraser: (row: RejectedRow) => RejectedRow
  }) => Effect.Effect<{ readonly rows: number; readonly next: Option.Option<BatchId> }, StorageError>
}
