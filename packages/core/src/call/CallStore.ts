/** Port: calls and batches, from the request that starts them to reading and canceling them. */
import { Context, type DateTime, type Effect, type Option, type Result } from "effect"
import type { Agent } from "../domain/Agent.ts"
import type { BatchCall, BatchRecord } from "../domain/Batch.ts"
import type { CallRecord, CallStatus } from "../domain/Call.ts"
import type { EventRecord, EventWriter } from "../domain/Event.ts"
import type { AccountId, AgentId, BatchId, CallId, CarrierCallId, CarrierName } from "../domain/Ids.ts"
import type { Lane } from "../domain/Lane.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { SharedPeriods } from "../rules/call/HoldPeriods.ts"
import type { Planned, StartFacts } from "../rules/call/StartDecision.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import type { AccountSnapshot } from "../rules/policy/DialFacts.ts"
import type { AliasesOf } from "../storage/AliasesOf.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { ClaimedCall, WorkOptions } from "../storage/WorkStore.ts"

export type { StartFacts }

/** Which calls of an account a list shows. An absent field does not filter. */
export interface CallFilter {
  /** Exclusive. */
  readonly createdAfter?: DateTime.Utc
  /** Exclusive. */
  readonly createdBefore?: DateTime.Utc
  /** Any of these. */
  readonly statuses?: ReadonlyArray<CallStatus>
  readonly agentId?: AgentId
  readonly batchId?: BatchId
  readonly phoneNumber?: PhoneNumber
  readonly externalId?: string
  readonly test?: boolean
}

export interface Idempotency {
  readonly key: string
  /** SHA-256 of the normalised request, in hex. */
  readonly fingerprint: string
}

export interface StartOptions<Refusal> {
  readonly accountId: AccountId
  readonly agentId: AgentId
  readonly phoneNumber: PhoneNumber
  readonly now: DateTime.Utc
  readonly rules: Pick<DialRules, "dayStart">
  /** Needed for an account that has erased a callee. */
  readonly aliasesOf?: AliasesOf
  readonly idempotency: Option.Option<Idempotency>
  /** Plans the call from the stored facts, or returns why not. Runs again if the number was taken meanwhile. */
  readonly plan: (facts: StartFacts) => Result.Result<CallRecord, Refusal>
  readonly events: EventWriter
}

export type StartResult<Refusal> =
  | Planned<Refusal>
  /** The key started this call before. The call is returned in its present state. */
  | { readonly _tag: "Replayed"; readonly call: CallRecord }
  /** The key started this call before, with another request. */
  | { readonly _tag: "KeyReused"; readonly callId: CallId }
  /** A request with the same key is being worked on. */
  | { readonly _tag: "KeyInUse" }

export interface StartBatchOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  readonly idempotency: Option.Option<Idempotency>
  /** Agents and numbers that the plan will ask about. */
  readonly agentIds: ReadonlyArray<AgentId>
  readonly phoneNumbers: ReadonlyArray<PhoneNumber>
  readonly rules: Pick<DialRules, "dayStart">
  /** Needed for an account that has erased a callee. */
  readonly aliasesOf?: AliasesOf
  /** Plans the batch and its calls from the stored facts. */
  readonly plan: (facts: BatchFacts) => BatchPlan
  readonly events: EventWriter
}

export interface BatchFacts extends AccountSnapshot {
  readonly agents: ReadonlyMap<AgentId, Agent>
}

export interface BatchPlan {
  readonly batch: BatchRecord
  /** Each number at most once, and no number with a waiting call, except for calls that the plan makes final. */
  readonly calls: ReadonlyArray<CallRecord>
}

/** A batch with the state of its calls, in row order. */
export interface StoredBatch {
  readonly batch: BatchRecord
  readonly calls: ReadonlyArray<BatchCall>
}

export type StartBatchResult =
  | { readonly _tag: "Started"; readonly stored: StoredBatch }
  | { readonly _tag: "Replayed"; readonly stored: StoredBatch }
  | { readonly _tag: "KeyReused"; readonly batchId: BatchId }
  | { readonly _tag: "KeyInUse" }

export type CancelResult =
  | { readonly _tag: "Canceled"; readonly call: CallRecord }
  /** It had moved on already. */
  | { readonly _tag: "NotCancelable"; readonly call: CallRecord }
  | { readonly _tag: "NotFound" }

export type HangUpResult =
  /** It is recorded that the call is to end. A call that was not submitted never will be. */
  | ({ readonly _tag: "Requested" } & ClaimedCall)
  /** It is waiting, or has ended. */
  | { readonly _tag: "NotLive"; readonly call: CallRecord }
  | { readonly _tag: "NotFound" }

export interface DialFactsOptions {
  readonly accountId: AccountId
  readonly phoneNumbers: ReadonlyArray<PhoneNumber>
  readonly now: DateTime.Utc
  readonly rules: Pick<DialRules, "dayStart">
  /** Needed for numbers without a call in the account. The aliases of numbers with a call are stored. */
  readonly aliasesOf?: AliasesOf
}

/** An ended call whose carrier has not said what it charges. */
export interface CallWithoutCost {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly carrierCallId: CarrierCallId
  readonly endedAt: DateTime.Utc
}

export class CallStore extends Context.Service<CallStore, {
  /**
   * Starts one call: looks up the idempotency key first, then plans, and plans again if the number was taken meanwhile. A rejected
   * request leaves nothing behind. A call that the plan makes final does not enter the queue. Concurrent starts of an account may be
   * written together; the result of each is as if it had run alone.
   */
  readonly start: <Refusal>(options: StartOptions<Refusal>) => Effect.Effect<StartResult<Refusal>, StorageError>
  /** Without erased calls. */
  readonly get: (accountId: AccountId, id: CallId) => Effect.Effect<Option.Option<CallRecord>, StorageError>
  /** Newest first by (`createdAt`, `id`), without erased calls. */
  readonly list: (options: {
    readonly accountId: AccountId
    readonly filter: CallFilter
    readonly page: PageRequest
  }) => Effect.Effect<Page<CallRecord>, StorageError>
  /** Cancels a call that is still queued, by `CallLife.canceled`. Between this and a claim, the first to commit wins. */
  readonly cancel: (options: {
    readonly accountId: AccountId
    readonly id: CallId
    readonly now: DateTime.Utc
    readonly events: EventWriter
  }) => Effect.Effect<CancelResult, StorageError>
  /** Requests the end of a live call: after it returns, every report that the call is alive is answered with `hang_up`. Safe to repeat. */
  readonly requestHangUp: (options: {
    readonly accountId: AccountId
    readonly id: CallId
    readonly now: DateTime.Utc
  }) => Effect.Effect<HangUpResult, StorageError>
  /**
   * Ended calls of the carrier that were dialed after this instant and have no cost, the oldest first; without those whose id at the carrier
   * is not known, or erased.
   */
  readonly withoutCost: (options: {
    readonly accountId: AccountId
    readonly carrier: CarrierName
    /** Exclusive. */
    readonly dialedAfter: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<CallWithoutCost>, StorageError>
  /** What the calling rules need to know about these numbers. An unknown account is a bug of the caller. */
  readonly dialFacts: (options: DialFactsOptions) => Effect.Effect<AccountSnapshot, StorageError>
  /** What has held calls of these lanes together with others, for the history of a call that still waits. */
  readonly sharedPeriods: (
    accountId: AccountId,
    lanes: ReadonlyArray<Lane>
  ) => Effect.Effect<SharedPeriods, StorageError>

  /**
   * Starts a batch with all its calls, or nothing: looks up the idempotency key first, then plans, and plans again if a number that the
   * plan relied on was taken meanwhile. Keys of batches are separate from those of calls. Batches with common numbers never deadlock.
   */
  readonly startBatch: (options: StartBatchOptions) => Effect.Effect<StartBatchResult, StorageError>
  readonly getBatch: (accountId: AccountId, id: BatchId) => Effect.Effect<Option.Option<StoredBatch>, StorageError>
  /** Newest first by (`createdAt`, `id`). */
  readonly listBatches: (options: {
    readonly accountId: AccountId
    readonly page: PageRequest
  }) => Effect.Effect<Page<StoredBatch>, StorageError>
  /** Cancels the calls of a batch that are still queued; returns how many, or `None` when there is no such batch. */
  readonly cancelBatch: (options: {
    readonly accountId: AccountId
    readonly id: BatchId
    readonly now: DateTime.Utc
    readonly events: EventWriter
  }) => Effect.Effect<Option.Option<number>, StorageError>
  /**
   * Writes `batch.completed`, once, for batches that may have completed while the event had a subscriber, and drops the others from the
   * work list; returns how many batches it examined. A batch is completed when the final event of every call is written.
   */
  readonly completeBatches: (
    options: WorkOptions & { readonly event: (stored: StoredBatch) => EventRecord }
  ) => Effect.Effect<number, StorageError>
}>()("@outdial/core/call/CallStore") {}
