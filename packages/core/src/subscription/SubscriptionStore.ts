/** What subscribers and readers of the feed take and give: the ways to events that need no receiver elsewhere. */
import type { DateTime, Effect } from "effect"
import type { EventRecord, SubscribableKind } from "../domain/Event.ts"
import type { AccountId, ClaimToken, DeliveryId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** Who is told of an account's events inside the host's processes. */
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
  /** Attempts that it has used up before this one. */
  readonly attempts: number
  readonly event: EventRecord
}

/** An event in the feed. Positions only grow, in an order in which none comes in behind one that was read. */
export interface FeedEvent extends EventRecord {
  readonly position: number
}

export interface FeedPage {
  readonly items: ReadonlyArray<FeedEvent>
  readonly hasMore: boolean
}

export interface Subscribing {
  /** Has events of these kinds delivered to the name from now on; what was given up for it is due again. Safe to repeat. */
  readonly putSubscriber: (options: PutSubscriberOptions) => Effect.Effect<void, StorageError>
  /** Forgets the name and what it was still to be told. Safe to repeat. */
  readonly deleteSubscriber: (key: SubscriberKey) => Effect.Effect<void, StorageError>
  /** When the next delivery of each of these is due, maybe past; without those that have none. */
  readonly subscribersDue: (
    keys: ReadonlyArray<SubscriberKey>
  ) => Effect.Effect<ReadonlyArray<SubscriberKey & { readonly dueAt: DateTime.Utc }>, StorageError>
  /** Due deliveries of a subscriber, never more than `Limits.deliveriesInFlight` in flight. */
  readonly claimForSubscriber: (
    options: ClaimForSubscriberOptions
  ) => Effect.Effect<ReadonlyArray<SubscriberDelivery>, StorageError>
}
