/**
 * Port: everything the engine keeps. Each method is one unit of work, atomic and durable when it returns; expected
 * conflicts are results. Time enters as `now`, decisions as pure functions that storage calls inside its transaction.
 * `MemoryStorage` is the reference; `@outdial/testkit` holds the contract every implementation must pass.
 */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Agent, AgentDefinition } from "../domain/Agent.ts"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { DoNotCallEntry } from "../domain/DoNotCall.ts"
import type { EventRecord, EventWriter } from "../domain/Event.ts"
import type { AccountId, AgentId, ApiKeyId, BatchId, CallId, DeliveryId, EventId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { DisabledReason, Rotation, WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type {
  ClaimDeliveriesOptions,
  ClaimedDelivery,
  DeliveryRecord,
  HandedOver,
  RecoverOptions,
  RecoverResult,
  RedeliverResult,
  SettleDeliveriesOptions,
  StoredEvent
} from "../webhook/DeliveryStore.ts"
import type { Counting } from "../account/UsageStore.ts"
import type { Erasing } from "../privacy/ErasureStore.ts"
import type { HangingUp } from "../dispatch/HangUpStore.ts"
import type { Figures, Observing, StorageState } from "../storage/StorageStats.ts"
import type { CallFilter, DeliveryFilter, EventFilter, KeyUse } from "../call/Filters.ts"
import type { PruneOptions, Retaining } from "../privacy/RetentionStore.ts"
import type { AddDoNotCallOptions, DialFactsOptions, DoNotCallAdded, Standing } from "../do-not-call/DoNotCallStore.ts"
import type {
  CancelResult,
  StartBatchOptions,
  StartBatchResult,
  StartOptions,
  StartResult,
  StoredBatch
} from "../call/CallStore.ts"
import type { Sealing } from "../secret/SecretStore.ts"
import type { SettingBack } from "../time/ClockStore.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { FeedPage, Subscribing } from "../subscription/SubscriptionStore.ts"
import type {
  AdoptTimeZonesOptions,
  ClaimedCall,
  ClaimOptions,
  ClaimResult,
  ClaimWorkOptions,
  DueOptions,
  ExpireOptions,
  ReplanOptions,
  ReportOptions,
  ReportResult,
  ReturnOptions,
  SettleOutcomesOptions,
  StaleCall,
  StaleOptions,
  SubmitOptions,
  WorkKind,
  WorkOptions
} from "../dispatch/DispatchStore.ts"
import type { Workers } from "../worker/WorkerStore.ts"
import type * as RequestWindow from "../rules/access/RequestWindow.ts"

export { StorageError } from "../storage/StorageError.ts"
export { signOf } from "../webhook/DeliveryStore.ts"
export type * from "../webhook/DeliveryStore.ts"
export type * from "../account/UsageStore.ts"
export type * from "../privacy/ErasureStore.ts"
export type * from "../dispatch/HangUpStore.ts"
export type * from "../storage/StorageStats.ts"
export type * from "../call/Filters.ts"
export type * from "../privacy/RetentionStore.ts"
export type * from "../do-not-call/DoNotCallStore.ts"
export type * from "../call/CallStore.ts"
export type * from "../subscription/SubscriptionStore.ts"
export type * from "../worker/WorkerStore.ts"
export type * from "../dispatch/DispatchStore.ts"

export class Storage extends Context.Service<Storage, {
  /** Whether what is stored is still there when the process has ended. `Outdial.open` simulates no phones on such a storage by default. */
  readonly outlivesProcess: boolean
  /** Adds the account, or writes over the one with its id; epoch and plan version are raised by every write. With `unlessThere` it answers one that is there, as it is. */
  readonly putAccount: (
    account: Omit<Account, "epoch" | "planVersion">,
    options?: { readonly unlessThere: boolean }
  ) => Effect.Effect<Account, StorageError>
  /**
   * Changes what is given and leaves the rest as it is, whoever else writes; raises the epoch, and with a policy the plan
   * version. From its return on nothing is submitted that was claimed before.
   */
  readonly updateAccount: (
    id: AccountId,
    changes: Partial<Pick<Account, "name" | "lines" | "paused" | "policy">>
  ) => Effect.Effect<Option.Option<Account>, StorageError>
  readonly getAccount: (id: AccountId) => Effect.Effect<Option.Option<Account>, StorageError>
  /** Oldest first. */
  readonly listAccounts: Effect.Effect<ReadonlyArray<Account>, StorageError>
  /** Stops or allows all calling, of every account. From its return on nothing is submitted while paused. */
  readonly pauseDeployment: (paused: boolean) => Effect.Effect<void, StorageError>
  readonly deploymentPaused: Effect.Effect<boolean, StorageError>
  /**
   * Has waiting calls of all accounts planned by this data on time zones from now on: when the process starts, or when
   * nobody who has the data of before was here for `Limits.timeZonesLease`. Answers whether they are planned by it.
   */
  readonly adoptTimeZones: (options: AdoptTimeZonesOptions) => Effect.Effect<boolean, StorageError>

  /**
   * Puts numbers on the account's do-not-call list and cancels the calls that wait for them. An entry that is there stays
   * as it is. Raises the epoch: from its return on none of the numbers is submitted.
   */
  readonly addDoNotCall: (options: AddDoNotCallOptions) => Effect.Effect<DoNotCallAdded, StorageError>
  /** Answers whether the number was on the list. */
  readonly removeDoNotCall: (accountId: AccountId, number: PhoneNumber) => Effect.Effect<boolean, StorageError>
  readonly getDoNotCall: (
    accountId: AccountId,
    number: PhoneNumber
  ) => Effect.Effect<Option.Option<DoNotCallEntry>, StorageError>
  /** Newest first by (`createdAt`, `phoneNumber`), without numbers that were erased. */
  readonly listDoNotCall: (options: {
    readonly accountId: AccountId
    readonly page: PageRequest
  }) => Effect.Effect<Page<DoNotCallEntry>, StorageError>
  /** What the rules are to be asked with about these numbers; an account that is not there is a bug of the caller. */
  readonly dialFacts: (options: DialFactsOptions) => Effect.Effect<Standing, StorageError>

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
  /**
   * Finds the key and takes one request from its window, by `RequestWindow.take`, in one round trip. Counts nothing for a
   * key that is expired or revoked at `now`; notes that the key was used, to the minute.
   */
  readonly useApiKey: (options: {
    readonly hash: string
    readonly now: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<Option.Option<KeyUse>, StorageError>
  /** Takes one request from a window of the account's by that name. */
  readonly takeRequest: (options: {
    readonly accountId: AccountId
    readonly name: string
    readonly now: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<RequestWindow.Verdict, StorageError>
  /** Newest first, revoked ones too. */
  readonly listApiKeys: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageError>
  /** Safe to repeat; answers whether the account has such a key. */
  readonly revokeApiKey: (options: {
    readonly accountId: AccountId
    readonly id: ApiKeyId
    readonly now: DateTime.Utc
  }) => Effect.Effect<boolean, StorageError>

  /**
   * Starts one call: the idempotency key first, then the plan, made again when its number has been taken meanwhile.
   * Nothing is kept of a request that was refused. A call that the plan makes final takes no place in the queue. What an
   * account starts at the same time may be written together; each start is answered as if it had come alone.
   */
  readonly startCall: <Refusal>(options: StartOptions<Refusal>) => Effect.Effect<StartResult<Refusal>, StorageError>
  /** Without calls that were erased. */
  readonly getCall: (accountId: AccountId, id: CallId) => Effect.Effect<Option.Option<CallRecord>, StorageError>
  /** Newest first by (`createdAt`, `id`), without calls that were erased. */
  readonly listCalls: (options: {
    readonly accountId: AccountId
    readonly filter: CallFilter
    readonly page: PageRequest
  }) => Effect.Effect<Page<CallRecord>, StorageError>
  /** Cancels a call that is still queued, by `CallLife.canceled`; between it and a claim the first to commit wins. */
  readonly cancelCall: (options: {
    readonly accountId: AccountId
    readonly id: CallId
    readonly now: DateTime.Utc
    readonly events: EventWriter
  }) => Effect.Effect<CancelResult, StorageError>

  /**
   * Starts a batch with all its calls, or nothing: the idempotency key first, then the plan, made again when a number it
   * counted on has been taken meanwhile. Keys of batches are apart from those of calls. Batches with numbers in common
   * never deadlock.
   */
  readonly startBatch: (options: StartBatchOptions) => Effect.Effect<StartBatchResult, StorageError>
  readonly getBatch: (accountId: AccountId, id: BatchId) => Effect.Effect<Option.Option<StoredBatch>, StorageError>
  /** Newest first by (`createdAt`, `id`). */
  readonly listBatches: (options: {
    readonly accountId: AccountId
    readonly page: PageRequest
  }) => Effect.Effect<Page<StoredBatch>, StorageError>
  /** Cancels what of a batch is still queued; answers how many calls, or `None` when there is no such batch. */
  readonly cancelBatch: (options: {
    readonly accountId: AccountId
    readonly id: BatchId
    readonly now: DateTime.Utc
    readonly events: EventWriter
  }) => Effect.Effect<Option.Option<number>, StorageError>

  /**
   * Accounts with work of the kind due at `now`: those whose work has been due longest first, or with `after` in turn by
   * their ids, from behind that one and around. For `dial`, only accounts with a free line; for `plan`, those of which calls
   * wait that were planned by anything else than the policy of today and the data on time zones that was adopted.
   */
  readonly accountsDue: (
    options: {
      readonly kind: WorkKind
      readonly now: DateTime.Utc
      readonly limit: number
      readonly after?: AccountId | undefined
    } & DueOptions
  ) => Effect.Effect<ReadonlyArray<AccountId>, StorageError>
  /** The earliest instant, maybe past, at which any stored work falls due. */
  readonly nextDueAt: (options: DueOptions) => Effect.Effect<Option.Option<DateTime.Utc>, StorageError>

  /** The cheapest question that only the storage can answer: whether it is there, and in the form that is needed. */
  readonly state: Effect.Effect<StorageState, StorageError>
  /** How much there is, and how late it is, for operators; at a cost that does not grow with what waits. */
  readonly figures: (now: DateTime.Utc) => Effect.Effect<Figures, StorageError>
  readonly strandedCalls: Observing["strandedCalls"]
  /**
   * Claims due calls of one account: single calls before batches, then by due time, then by id. Locks the account first
   * and looks later, so that the facts are those at the commit; claims nothing while another claim of the account is under
   * way. Due calls of an earlier plan are planned anew before they are decided, not many more than may be claimed: the rest
   * is for `replanCalls`. Calls in lanes that are closed are passed over without being looked at, of others no more than
   * `Limits.claimCandidates` are; a `wait` that names an instant keeps the account from being due before it.
   */
  readonly claimDue: (options: ClaimOptions) => Effect.Effect<ClaimResult, StorageError>
  /** Plans calls anew that were planned by anything else than what is valid now; answers how many. Holds up no claim. */
  readonly replanCalls: (options: ReplanOptions) => Effect.Effect<number, StorageError>
  /**
   * The fence before the carrier is asked: of the calls, those that are still `dialing` under this token, not yet submitted,
   * before the claim's `dialBy`, not paused and under the account's epoch of the claim. Only these may be dialed.
   */
  readonly submit: (options: SubmitOptions) => Effect.Effect<ReadonlySet<CallId>, StorageError>
  /** Back to the queue, by `CallLife.returnedToQueue`; what the dial held up is looked at again. */
  readonly returnToQueue: (options: ReturnOptions) => Effect.Effect<void, StorageError>
  /**
   * Applies carrier reports in order, by `CallLife.reported`; answers for each what the provider is to do. What waits for a
   * number is looked at again when a call to it has ended.
   */
  readonly report: (options: ReportOptions) => Effect.Effect<ReportResult, StorageError>
  /** Calls of these carriers with a lease that has run out; renews it, so that one node at a time looks at them. */
  readonly takeStaleCalls: (options: StaleOptions) => Effect.Effect<ReadonlyArray<StaleCall>, StorageError>
  /** Ends waiting calls that have expired, by `CallLife.expired` with `CallLife.heldAtExpiry`; answers how many. */
  readonly expireCalls: (options: ExpireOptions) => Effect.Effect<number, StorageError>

  /** Completed calls whose outcome is due, held for `Limits.outcomeLease`. */
  readonly claimOutcomes: (options: ClaimWorkOptions) => Effect.Effect<ReadonlyArray<ClaimedCall>, StorageError>
  /** Writes the results that the token still holds, by `CallLife.outcomeSettled`; an outcome may put its number on the do-not-call list. */
  readonly settleOutcomes: (options: SettleOutcomesOptions) => Effect.Effect<HandedOver, StorageError>

  /**
   * Sets the account's endpoint. The secret is used only when there was none; answers whether it was made now. What that makes of
   * its breaker, and whether what was held or put off is due at once, is said by `CircuitBreaker.reset`.
   */
  readonly setWebhook: (
    endpoint: WebhookEndpoint
  ) => Effect.Effect<{ readonly endpoint: WebhookEndpoint; readonly created: boolean }, StorageError>
  readonly getWebhook: (accountId: AccountId) => Effect.Effect<Option.Option<WebhookEndpoint>, StorageError>
  /** Issues a new secret, by `WebhookEndpoint.rotated`; `None` when there is no endpoint. */
  readonly rotateSecret: (options: {
    readonly accountId: AccountId
    readonly secret: SealedSecret
    readonly now: DateTime.Utc
    readonly graceUntil: DateTime.Utc
  }) => Effect.Effect<Option.Option<Rotation>, StorageError>
  readonly listSealedOtherwise: Sealing["listSealedOtherwise"]
  readonly resealSecrets: Sealing["resealSecrets"]
  /** Drops what was still to be delivered, which the log keeps; safe to repeat. */
  readonly deleteWebhook: (accountId: AccountId) => Effect.Effect<void, StorageError>

  /**
   * Due deliveries of an account whose endpoint is enabled, never more in flight than its `CircuitBreaker.room`. A sender that
   * is alone with a healthy endpoint may claim some ahead, and others get none until it has no more than are in flight. While
   * the breaker is open the one claimed is a probe: the oldest of those that have used up no attempt, or else of all, due or not. A
   * claim whose lease ran out uses up no attempt: nobody knows whether anything was sent.
   */
  readonly claimDeliveries: (
    options: ClaimDeliveriesOptions
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
  /**
   * Writes the results that the token still holds, and what they say of the endpoint, by `CircuitBreaker`: a receiver that
   * is gone or has failed for days disables it, and one that is back makes everything that waits due. Of a claim from before
   * the endpoint got another address, or was enabled or disabled, they say nothing. Answers why they disabled the endpoint,
   * if they did.
   */
  readonly settleDeliveries: (
    options: SettleDeliveriesOptions
  ) => Effect.Effect<Option.Option<DisabledReason>, StorageError>
  readonly getEvent: (accountId: AccountId, id: EventId) => Effect.Effect<Option.Option<StoredEvent>, StorageError>
  /** Newest first by (`createdAt`, `id`), without those that were erased. */
  readonly listEvents: (options: {
    readonly accountId: AccountId
    readonly filter: EventFilter
    readonly page: PageRequest
  }) => Effect.Effect<Page<EventRecord>, StorageError>
  readonly getDelivery: (
    accountId: AccountId,
    id: DeliveryId
  ) => Effect.Effect<Option.Option<DeliveryRecord>, StorageError>
  /** Newest first by (`createdAt`, `id`). */
  readonly listDeliveries: (options: {
    readonly accountId: AccountId
    readonly filter: DeliveryFilter
    readonly page: PageRequest
  }) => Effect.Effect<Page<DeliveryRecord>, StorageError>
  /**
   * Makes the event due for delivery now, whatever became of it before; one that is being sent begins anew when that attempt
   * does not arrive.
   */
  readonly redeliver: (options: {
    readonly accountId: AccountId
    readonly eventId: EventId
    readonly now: DateTime.Utc
  }) => Effect.Effect<RedeliverResult, StorageError>
  /**
   * Makes due what of the window was not delivered and is not due already, oldest first: given up, dropped, put off, or
   * never to be delivered although the endpoint wants its kind. At most `limit`; repeated until it answers less.
   */
  readonly recoverDeliveries: (options: RecoverOptions) => Effect.Effect<RecoverResult, StorageError>

  readonly putSubscriber: Subscribing["putSubscriber"]
  readonly deleteSubscriber: Subscribing["deleteSubscriber"]
  readonly subscribersDue: Subscribing["subscribersDue"]
  readonly claimForSubscriber: Subscribing["claimForSubscriber"]

  /**
   * Events behind the position, oldest first. Positions are given when they are first read, so that an event which commits
   * late, behind others made after it, gets a later one: whoever goes on from the last position misses nothing but what was
   * erased.
   */
  readonly readFeed: (options: {
    readonly accountId: AccountId
    readonly after: number
    readonly limit: number
  }) => Effect.Effect<FeedPage, StorageError>
  /**
   * Writes `batch.completed`, once, for batches that may have been completed since somebody has subscribed to it, and
   * forgets those that have not; answers how many batches it looked at. A batch is completed when the end of every call has
   * been told.
   */
  readonly completeBatches: (
    options: WorkOptions & { readonly event: (stored: StoredBatch) => EventRecord }
  ) => Effect.Effect<number, StorageError>
  /** Deletes events that happened by then, with their deliveries and attempts; answers how many. */
  readonly pruneEvents: (options: PruneOptions) => Effect.Effect<number, StorageError>

  readonly requestHangUp: HangingUp["requestHangUp"]

  readonly clockSetBack: SettingBack["clockSetBack"]

  readonly readUsage: Counting["readUsage"]
  readonly oldestUnfolded: Counting["oldestUnfolded"]
  readonly foldUsage: Counting["foldUsage"]

  readonly pruneIdempotencyKeys: Retaining["pruneIdempotencyKeys"]
  readonly pruneRequestWindows: Retaining["pruneRequestWindows"]
  readonly oldCalls: Retaining["oldCalls"]
  readonly deleteCalls: Retaining["deleteCalls"]
  readonly oldTranscripts: Retaining["oldTranscripts"]
  readonly forgetTranscripts: Retaining["forgetTranscripts"]

  readonly putWorker: Workers["putWorker"]
  readonly removeWorker: Workers["removeWorker"]
  readonly listWorkers: Workers["listWorkers"]
  readonly pruneWorkers: Workers["pruneWorkers"]

  readonly keepErasureKey: Erasing["keepErasureKey"]
  readonly listErasureKeysOtherwise: Erasing["listErasureKeysOtherwise"]
  readonly replaceErasureKey: Erasing["replaceErasureKey"]
  readonly beginErasure: Erasing["beginErasure"]
  readonly callsToErase: Erasing["callsToErase"]
  readonly eraseCalls: Erasing["eraseCalls"]
  readonly eraseRejectedRows: Erasing["eraseRejectedRows"]
}>()("@outdial/core/engine/Storage") {}
