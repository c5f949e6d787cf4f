/**
 * Port: everything the engine keeps. Each method is one unit of work, atomic and durable when it returns; expected
 * conflicts are results. Time enters as `now`, decisions as pure functions that storage calls inside its transaction.
 * `MemoryStorage` is the reference; `@outdial/testkit` holds the contract every implementation must pass.
 */
import { Context, type DateTime, type Effect, type Option, type Redacted, type Result, Schema } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Agent, AgentDefinition } from "../domain/Agent.ts"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { EventRecord, EventWriter } from "../domain/Event.ts"
import type {
  AccountId,
  AgentId,
  ApiKeyId,
  CallId,
  CarrierCallId,
  ClaimToken,
  DeliveryId,
  EventId
} from "../domain/Ids.ts"
import type { LineEvent } from "../domain/LineEvent.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { OutcomeResult } from "../rules/CallLife.ts"
import type { DialDecision, DialFacts } from "../rules/DialDecision.ts"

/** Storage could not do its work. Nothing was written, unless the connection was lost while committing. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  /** `conflict` may succeed when tried again at once; `unavailable` when storage is back. */
  reason: Schema.Literals(["unavailable", "conflict"]),
  cause: Schema.Defect()
}) {}

export interface Idempotency {
  readonly key: string
  /** SHA-256 of the normalised request, in hex. */
  readonly fingerprint: string
}

export interface StartOptions<Refusal> {
  readonly accountId: AccountId
  readonly agentId: AgentId
  readonly now: DateTime.Utc
  readonly idempotency: Option.Option<Idempotency>
  /** Makes the call from what storage knows, or says why not. */
  readonly plan: (facts: StartFacts) => Result.Result<CallRecord, Refusal>
  readonly events: EventWriter
}

export interface StartFacts {
  readonly account: Account
  readonly agent: Option.Option<Agent>
}

export type StartResult<Refusal> =
  | { readonly _tag: "Started"; readonly call: CallRecord }
  /** The key made this call before; it is returned as it is now. */
  | { readonly _tag: "Replayed"; readonly call: CallRecord }
  /** The key made this call before, from another request. */
  | { readonly _tag: "KeyReused"; readonly callId: CallId }
  /** A request with the same key is being worked on. */
  | { readonly _tag: "KeyInUse" }
  /** This call to the same number is waiting. */
  | { readonly _tag: "AlreadyQueued"; readonly callId: CallId }
  | { readonly _tag: "Refused"; readonly reason: Refusal }

/** Kinds of work that falls due. */
export type WorkKind = "dial" | "expiry" | "lease" | "outcome" | "delivery"

export interface ClaimOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  /** Most calls to claim. */
  readonly limit: number
  readonly token: ClaimToken
  readonly decide: (call: CallRecord, facts: DialFacts) => DialDecision
  readonly events: EventWriter
}

/** Claimed work on a call, with the version of the agent that it was accepted with. */
export interface ClaimedCall {
  readonly call: CallRecord
  readonly agent: Agent
}

export interface ClaimResult {
  /** Now `dialing`, to be submitted under the claim's token. */
  readonly claimed: ReadonlyArray<ClaimedCall>
  /** How many others were held or ended. */
  readonly moved: number
}

export interface SubmitOptions {
  readonly accountId: AccountId
  readonly callIds: ReadonlyArray<CallId>
  readonly token: ClaimToken
  readonly now: DateTime.Utc
}

export interface ReturnOptions extends SubmitOptions {
  readonly reason: "carrier_unavailable" | "not_submitted"
  readonly events: EventWriter
}

export interface LineReport {
  readonly callId: CallId
  readonly event: LineEvent
}

export interface ReportOptions {
  readonly accountId: AccountId
  readonly reports: ReadonlyArray<LineReport>
  readonly now: DateTime.Utc
  readonly events: EventWriter
}

/** A call whose lease has run out. */
export interface StaleCall {
  readonly callId: CallId
  readonly token: ClaimToken
  /** Absent when it was claimed but never handed to the carrier. */
  readonly submittedAt?: DateTime.Utc
  readonly carrierCallId?: CarrierCallId
}

/** Work claimed for one account, at most `limit` pieces of it. */
export interface WorkOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  readonly limit: number
}

export interface ClaimWorkOptions extends WorkOptions {
  readonly token: ClaimToken
}

export interface SettleOutcomesOptions {
  readonly accountId: AccountId
  readonly token: ClaimToken
  readonly results: ReadonlyArray<{ readonly callId: CallId; readonly result: OutcomeResult }>
  readonly events: EventWriter
}

/** An event on its way to the account's endpoint. */
export interface ClaimedDelivery {
  readonly id: DeliveryId
  readonly eventId: EventId
  /** Attempts made before this one. */
  readonly attempts: number
  readonly url: string
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly body: string
}

export type DeliveryResult =
  | { readonly _tag: "Delivered" }
  /** To be tried again. */
  | { readonly _tag: "RetryAt"; readonly at: DateTime.Utc }
  | { readonly _tag: "Exhausted" }

export interface SettleDeliveriesOptions {
  readonly accountId: AccountId
  readonly token: ClaimToken
  readonly now: DateTime.Utc
  readonly results: ReadonlyArray<{
    readonly deliveryId: DeliveryId
    readonly result: DeliveryResult
    /** What the receiver answered or what went wrong, for the delivery log. */
    readonly statusCode?: number
    readonly errorCode?: string
  }>
}

export type DeliveryState = "pending" | "sending" | "delivered" | "exhausted"

/** An event with the state of its delivery, if it has one. */
export interface StoredEvent extends EventRecord {
  readonly delivery: Option.Option<{ readonly state: DeliveryState; readonly attempts: number }>
}

export class Storage extends Context.Service<Storage, {
  /** Adds the account, or writes over the one with its id; the epoch is raised by every write. */
  readonly putAccount: (account: Omit<Account, "epoch">) => Effect.Effect<Account, StorageError>
  readonly getAccount: (id: AccountId) => Effect.Effect<Option.Option<Account>, StorageError>
  /** Oldest first. */
  readonly listAccounts: Effect.Effect<ReadonlyArray<Account>, StorageError>
  /** Stops or allows all calling, of every account. From its return on nothing is submitted while paused. */
  readonly pauseDeployment: (paused: boolean) => Effect.Effect<void, StorageError>

  /** Adds the agent, or a new version of it. Writing what stands there already changes nothing. */
  readonly putAgent: (options: {
    readonly accountId: AccountId
    readonly agent: AgentDefinition & { readonly id: AgentId }
    readonly now: DateTime.Utc
  }) => Effect.Effect<Agent, StorageError>
  readonly getAgent: (accountId: AccountId, id: AgentId) => Effect.Effect<Option.Option<Agent>, StorageError>
  /** Newest first. */
  readonly listAgents: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Agent>, StorageError>

  readonly addApiKey: (key: ApiKey) => Effect.Effect<void, StorageError>
  readonly findApiKey: (hash: string) => Effect.Effect<Option.Option<ApiKey>, StorageError>
  /** Newest first, revoked ones too. */
  readonly listApiKeys: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageError>
  /** Safe to repeat; answers whether the account has such a key. */
  readonly revokeApiKey: (options: {
    readonly accountId: AccountId
    readonly id: ApiKeyId
    readonly now: DateTime.Utc
  }) => Effect.Effect<boolean, StorageError>

  /**
   * Starts one call. In this order: the idempotency key, then the plan, then whether a call to the number is waiting.
   * Nothing is kept of a request that was refused. A call that the plan makes final takes no place in the queue.
   */
  readonly startCall: <Refusal>(options: StartOptions<Refusal>) => Effect.Effect<StartResult<Refusal>, StorageError>
  readonly getCall: (accountId: AccountId, id: CallId) => Effect.Effect<Option.Option<CallRecord>, StorageError>

  /** Accounts with work of the kind due at `now`: those whose work has been due longest first. For `dial`, only accounts with a free line. */
  readonly accountsDue: (options: {
    readonly kind: WorkKind
    readonly now: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<AccountId>, StorageError>
  /** The earliest instant, maybe past, at which any stored work falls due. */
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>, StorageError>

  /**
   * Claims due calls of one account: single calls before batches, then by due time, then by id. Locks the account first
   * and looks later, so that lines and epoch are those at the commit; claims nothing while another claim of the account
   * is under way. Looks at no more than `Limits.claimCandidates` calls.
   */
  readonly claimDue: (options: ClaimOptions) => Effect.Effect<ClaimResult, StorageError>
  /**
   * The fence before the carrier is asked: of the calls, those that are still `dialing` under this token, not yet submitted, within the dial
   * deadline, not paused and under the account's epoch of the claim. Only these may be dialed.
   */
  readonly submit: (options: SubmitOptions) => Effect.Effect<ReadonlySet<CallId>, StorageError>
  /** Back to the queue, by `CallLife.returnedToQueue`. */
  readonly returnToQueue: (options: ReturnOptions) => Effect.Effect<void, StorageError>
  /** Applies carrier reports in order, by `CallLife.reported`; answers for each what the provider is to do. */
  readonly report: (
    options: ReportOptions
  ) => Effect.Effect<ReadonlyArray<"changed" | "ignored" | "hang_up" | "unknown">, StorageError>
  /** Calls with a lease that has run out; renews it, so that they are looked at by one node at a time. */
  readonly takeStaleCalls: (options: WorkOptions) => Effect.Effect<ReadonlyArray<StaleCall>, StorageError>
  /** Ends waiting calls that have expired; answers how many. */
  readonly expireCalls: (
    options: WorkOptions & { readonly events: EventWriter }
  ) => Effect.Effect<number, StorageError>

  /** Completed calls whose outcome is due, held for `Limits.outcomeLease`. */
  readonly claimOutcomes: (options: ClaimWorkOptions) => Effect.Effect<ReadonlyArray<ClaimedCall>, StorageError>
  /** Writes the results that the token still holds, by `CallLife.outcomeSettled`. */
  readonly settleOutcomes: (options: SettleOutcomesOptions) => Effect.Effect<void, StorageError>

  /** Sets the account's endpoint. The secret is used only when there was none; answers whether it was made now. */
  readonly setWebhook: (
    endpoint: WebhookEndpoint
  ) => Effect.Effect<{ readonly endpoint: WebhookEndpoint; readonly created: boolean }, StorageError>
  readonly getWebhook: (accountId: AccountId) => Effect.Effect<Option.Option<WebhookEndpoint>, StorageError>
  /** Drops what was still to be delivered; safe to repeat. */
  readonly deleteWebhook: (accountId: AccountId) => Effect.Effect<void, StorageError>

  /** Due deliveries of an account whose endpoint is enabled, never more than `Limits.deliveriesInFlight` in flight. */
  readonly claimDeliveries: (options: ClaimWorkOptions) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
  /** Writes the results that the token still holds; each counts as an attempt. */
  readonly settleDeliveries: (options: SettleDeliveriesOptions) => Effect.Effect<void, StorageError>
  readonly getEvent: (accountId: AccountId, id: EventId) => Effect.Effect<Option.Option<StoredEvent>, StorageError>
}>()("@outdial/core/ports/Storage") {}
