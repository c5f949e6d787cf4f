/** Port: subscribers in the host's own processes, and the deliveries to them. */
import { Context, type DateTime, type Effect } from "effect"
import type { EventRecord, SubscribableKind } from "../domain/Event.ts"
import type { AccountId, ClaimToken, DeliveryId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** A subscriber to an account's events inside the host's processes. */
export interface SubscriberKey {
  readonly accountId: AccountId
  readonly name: string
}

export interface PutSubscriberOptions extends SubscriberKey {
  readonly events: ReadonlyArray<SubscribableKind>
  readonly now: DateTime.Utc
}

export interface ClaimForSubscriberOptions extends SubscriberKey {
  readonly now: DateTime.Utc
  readonly token: ClaimToken
}

/** An event on its way to a subscriber's handler. */
export interface SubscriberDelivery {
  readonly id: DeliveryId
  /** Attempts that were used up before this one. */
  readonly attempts: number
  readonly event: EventRecord
}

export class SubscriptionStore extends Context.Service<SubscriptionStore, {
  /** From now on, events of these kinds are delivered to the name; its exhausted deliveries become due again. Safe to repeat. */
  readonly put: (options: PutSubscriberOptions) => Effect.Effect<void, StorageError>
  /** Deletes the subscriber with its open deliveries. Safe to repeat. */
  readonly delete: (key: SubscriberKey) => Effect.Effect<void, StorageError>
  /** When the next delivery of each subscriber is due, possibly past; subscribers with none are absent. */
  readonly due: (
    keys: ReadonlyArray<SubscriberKey>
  ) => Effect.Effect<ReadonlyArray<SubscriberKey & { readonly dueAt: DateTime.Utc }>, StorageError>
  /** Due deliveries of a subscriber, never more than `Limits.deliveriesInFlight` in flight. `DeliveryStore.settle` settles them. */
  readonly claim: (options: ClaimForSubscriberOptions) => Effect.Effect<ReadonlyArray<SubscriberDelivery>, StorageError>
}>()("@outdial/core/subscription/SubscriptionStore") {}
