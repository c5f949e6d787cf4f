/**
 * Port: the logs of conversations. One process at a time writes a log: `acquire` raises its generation, and writes under an older one
 * are refused. A sealed log is folded into its call's transcript.
 */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Entry, MachineKind } from "../domain/Conversation.ts"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { Holding } from "../rules/conversation/ConversationLog.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { ClaimedCall, WorkOptions } from "../storage/WorkStore.ts"

/** An entry with its place in the log: 1, 2, 3 and so on, without gaps. */
export interface LoggedEntry {
  readonly sequence: number
  readonly entry: Entry
}

export interface AcquireOptions {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly now: DateTime.Utc
  /** Takes the log over although the lease of another process is running: its line has moved to this process. */
  readonly takesOver: boolean
}

/** The right to write a log, for `Limits.conversationLease` from the acquisition or the latest append. */
export interface Acquired extends ClaimedCall {
  readonly generation: number
  readonly entries: ReadonlyArray<LoggedEntry>
}

export interface AppendOptions {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly generation: number
  /** Empty to renew the lease only. */
  readonly entries: ReadonlyArray<Entry>
}

/** What is read of one log. */
export interface LogPage {
  readonly entries: ReadonlyArray<LoggedEntry>
  /** Whether no entry can follow: see `ConversationLog.isFinal`. Also true of an unknown call. */
  readonly isFinal: boolean
}

export class ConversationStore extends Context.Service<ConversationStore, {
  /**
   * The log of a live call, created when there is none. None if the call is unknown, was not dialed, or its log is sealed, and while
   * another process has the lease.
   */
  readonly acquire: (options: AcquireOptions) => Effect.Effect<Option.Option<Acquired>, StorageError>
  /**
   * Appends to several logs in one transaction and renews their leases. Returns whether each was appended; it is refused when the
   * generation is not the latest or the log is sealed. The first turn of the contact sets the call's `contactSpokeAt`.
   */
  readonly append: (
    options: { readonly now: DateTime.Utc; readonly logs: ReadonlyArray<AppendOptions> }
  ) => Effect.Effect<ReadonlyArray<boolean>, StorageError>
  /**
   * Seals the log: its turns become the call's transcript, its notes the call's notes, and its entries are deleted. The outcome of a
   * completed call is due from then on. Returns false when the generation is not the latest or the log is sealed.
   */
  readonly seal: (options: {
    readonly accountId: AccountId
    readonly callId: CallId
    readonly generation: number
    readonly now: DateTime.Utc
    readonly events: EventWriter
  }) => Effect.Effect<boolean, StorageError>
  /**
   * Ends calls whose line has ended and whose log was not sealed by `Limits.sealDeadline`, as `seal` does; returns how many. The carrier
   * need not be asked.
   */
  readonly settleEnds: (options: WorkOptions & { readonly events: EventWriter }) => Effect.Effect<number, StorageError>
  /** Who has the conversation of the call; `none` of an unknown call. */
  readonly holding: (options: {
    readonly accountId: AccountId
    readonly callId: CallId
    readonly now: DateTime.Utc
  }) => Effect.Effect<Holding, StorageError>
  /** The machines that have answered these calls, by the carriers' word, in the order of the calls; `undefined` when none has. */
  readonly machines: (
    calls: ReadonlyArray<{ readonly accountId: AccountId; readonly callId: CallId }>
  ) => Effect.Effect<ReadonlyArray<MachineKind | undefined>, StorageError>
  /** The entries after that sequence number, at most `limit`; none of a call without a log. A sealed log has the call's transcript. */
  readonly read: (options: {
    readonly accountId: AccountId
    readonly callId: CallId
    readonly after: number
    readonly limit: number
  }) => Effect.Effect<{ readonly entries: ReadonlyArray<LoggedEntry>; readonly isSealed: boolean }, StorageError>
  /**
   * Reads several logs at once, of any accounts: of each the entries after that sequence number, at most `limit`, and whether more can
   * follow. The pages are in the order of the logs.
   */
  readonly readMany: (options: {
    readonly logs: ReadonlyArray<{ readonly accountId: AccountId; readonly callId: CallId; readonly after: number }>
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<LogPage>, StorageError>
}>()("@outdial/core/conversation/ConversationStore") {}
