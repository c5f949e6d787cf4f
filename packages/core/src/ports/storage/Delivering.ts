/** What deliveries take and give, and what is told of them. */
import type { DateTime, Option, Redacted } from "effect"
import type { EventRecord, SubscribableKind } from "../../domain/Event.ts"
import type { AccountId, CallId, ClaimToken, DeliveryId, EventId } from "../../domain/Ids.ts"

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
    readonly attempt: DeliveryAttempt
  }>
}

export type DeliveryState = "pending" | "sending" | "delivered" | "exhausted"

/** An event with the state of its delivery, if it has one. */
export interface StoredEvent extends EventRecord {
  readonly delivery: Option.Option<{ readonly state: DeliveryState; readonly attempts: number }>
}

/** A delivery as its owner may read it. */
export interface DeliveryRecord {
  readonly id: DeliveryId
  readonly eventId: EventId
  readonly callId: CallId
  readonly type: SubscribableKind
  readonly state: DeliveryState
  readonly createdAt: DateTime.Utc
  /** While it is pending: when it is tried next. */
  readonly nextAttemptAt?: DateTime.Utc
  /** Oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

export interface DeliveryAttempt {
  readonly at: DateTime.Utc
  readonly statusCode?: number
  readonly errorCode?: string
  readonly durationMs: number
}
