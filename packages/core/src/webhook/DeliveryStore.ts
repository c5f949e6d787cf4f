/** Port: deliveries of events to webhook endpoints, and their log. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type {
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryResult,
  DeliveryState
} from "../domain/Delivery.ts"
import type { AccountId, CallId, ClaimToken, DeliveryId, EventId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { DisabledReason } from "../domain/WebhookEndpoint.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { ClaimWorkOptions } from "../storage/WorkStore.ts"

export interface DeliveryFilter {
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
  readonly callId?: CallId
  readonly eventId?: EventId
  /** Any of these. */
  readonly states?: ReadonlyArray<DeliveryState>
}

export interface ClaimDeliveriesOptions extends ClaimWorkOptions {
  /**
   * How many may be prefetched beyond those in flight, to be sent as soon as these are answered; 0 when absent. A sender that prefetches
   * uses one token for all its claims, which distinguishes its own deliveries from those of others.
   */
  readonly ahead?: number
}

export interface SettleDeliveriesOptions {
  readonly accountId: AccountId
  /** The subscriber that the deliveries were claimed for; the webhook endpoint when absent. */
  readonly subscriber?: string
  readonly token: ClaimToken
  readonly now: DateTime.Utc
  readonly results: ReadonlyArray<{
    readonly deliveryId: DeliveryId
    readonly result: DeliveryResult
    /** The response or the failure, for the delivery log. Absent when there is nothing new. */
    readonly attempt?: DeliveryAttempt
  }>
}

/** The result of a request to send an event again. */
export type RedeliverResult =
  | { readonly _tag: "Redelivering"; readonly delivery: DeliveryRecord }
  | { readonly _tag: "NoEvent" }
  | { readonly _tag: "NoWebhook" }
  | { readonly _tag: "Disabled" }

export interface RecoverOptions {
  readonly accountId: AccountId
  /** When the events happened: `since` is inclusive, `until` exclusive. */
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  readonly now: DateTime.Utc
  readonly limit: number
}

/** The result of a request to send undelivered events. */
export type RecoverResult =
  | { readonly _tag: "Recovering"; readonly deliveries: number }
  | { readonly _tag: "NoWebhook" }
  | { readonly _tag: "Disabled" }

export class DeliveryStore extends Context.Service<DeliveryStore, {
  /**
   * Due deliveries of an account whose endpoint is enabled, never more in flight than its `CircuitBreaker.room`. The only sender to a
   * healthy endpoint may prefetch some; others then get none until its claims are down to those in flight. While the breaker is open, the
   * one claimed is a probe: the oldest delivery without a used-up attempt, otherwise the oldest of all, due or not. A claim whose lease
   * ran out uses up no attempt, because it is unknown whether anything was sent.
   */
  readonly claim: (options: ClaimDeliveriesOptions) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError>
  /**
   * Writes the results that the token still holds and applies them to the endpoint, by `CircuitBreaker`: a receiver
   * that is gone or has failed for days is disabled, and one that has recovered makes all waiting deliveries due.
   * Results of a claim from before the endpoint's URL changed, or from before it was enabled or disabled, do not count
   * for it. Returns why they disabled the endpoint, if they did.
   */
  readonly settle: (options: SettleDeliveriesOptions) => Effect.Effect<Option.Option<DisabledReason>, StorageError>
  readonly get: (accountId: AccountId, id: DeliveryId) => Effect.Effect<Option.Option<DeliveryRecord>, StorageError>
  /** Newest first by (`createdAt`, `id`). */
  readonly list: (options: {
    readonly accountId: AccountId
    readonly filter: DeliveryFilter
    readonly page: PageRequest
  }) => Effect.Effect<Page<DeliveryRecord>, StorageError>
  /** Makes the event due for delivery now, whatever its state. A delivery in flight starts over if its attempt fails. */
  readonly redeliver: (options: {
    readonly accountId: AccountId
    readonly eventId: EventId
    readonly now: DateTime.Utc
  }) => Effect.Effect<RedeliverResult, StorageError>
  /**
   * Makes due the deliveries of the window that were not delivered and are not due already, oldest first: exhausted, dropped or
   * deferred ones, and events without a delivery whose kind the endpoint subscribes to. At most `limit`; repeat it until it returns
   * fewer.
   */
  readonly recover: (options: RecoverOptions) => Effect.Effect<RecoverResult, StorageError>
}>()("@outdial/core/webhook/DeliveryStore") {}
