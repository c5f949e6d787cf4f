/** Port: stored events and the feed. Other ports write events, in the transaction of the change that each event reports. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { DeliveryState } from "../domain/Delivery.ts"
import type { EventRecord, SubscribableKind } from "../domain/Event.ts"
import type { AccountId, CallId, EventId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { PruneOptions } from "../storage/WorkStore.ts"

export interface EventFilter {
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
  readonly callId?: CallId
  readonly type?: SubscribableKind
}

/** An event with the state of its delivery, if it has one. */
export interface StoredEvent extends EventRecord {
  /** Whether its body was erased. The remainder is still delivered, but not shown. */
  readonly isErased: boolean
  readonly delivery: Option.Option<{ readonly state: DeliveryState; readonly attempts: number }>
}

/** An event in the feed. No event ever appears before a position that has been read. */
export interface FeedEvent extends EventRecord {
  readonly position: number
}

export interface FeedPage {
  readonly items: ReadonlyArray<FeedEvent>
  readonly hasMore: boolean
}

export class EventStore extends Context.Service<EventStore, {
  readonly get: (accountId: AccountId, id: EventId) => Effect.Effect<Option.Option<StoredEvent>, StorageError>
  /** Newest first by (`createdAt`, `id`), without erased events. */
  readonly list: (options: {
    readonly accountId: AccountId
    readonly filter: EventFilter
    readonly page: PageRequest
  }) => Effect.Effect<Page<EventRecord>, StorageError>
  /**
   * Events after the position, oldest first. An event gets its position when it is first read, so an event that commits
   * late gets a later one: a reader that continues from its last position misses nothing except erased events.
   */
  readonly readFeed: (options: {
    readonly accountId: AccountId
    readonly after: number
    readonly limit: number
  }) => Effect.Effect<FeedPage, StorageError>
  /** Deletes events that happened by then, with their deliveries and attempts; returns how many. */
  readonly prune: (options: PruneOptions) => Effect.Effect<number, StorageError>
}>()("@outdial/core/event/EventStore") {}
