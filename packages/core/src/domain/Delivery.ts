/** The delivery of an event to the account's webhook endpoint. */
import type { DateTime } from "effect"
import type { SubscribableKind } from "./Event.ts"
import type { BatchId, CallId, DeliveryId, EventId } from "./Ids.ts"
import type { SigningSecret } from "./WebhookEndpoint.ts"

/** `held` is pending while its endpoint is disabled; `dropped` was on its way when its endpoint was removed. */
export type DeliveryState = "pending" | "sending" | "delivered" | "exhausted" | "held" | "dropped"

/** Why an attempt was made: by the schedule, to probe a failing receiver, or because the account's owner asked for it. */
export type AttemptCause = "schedule" | "probe" | "redeliver" | "recover"

export interface DeliveryAttempt {
  readonly cause: AttemptCause
  readonly at: DateTime.Utc
  readonly statusCode?: number
  readonly errorCode?: string
  readonly durationMs: number
}

/** A delivery as its owner may read it. */
export interface DeliveryRecord {
  readonly id: DeliveryId
  readonly eventId: EventId
  readonly callId?: CallId
  readonly batchId?: BatchId
  readonly type: SubscribableKind
  readonly state: DeliveryState
  readonly createdAt: DateTime.Utc
  /** While it is pending: when it is tried next. */
  readonly nextAttemptAt?: DateTime.Utc
  /** Oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** A delivery that a sender has claimed. */
export interface ClaimedDelivery {
  readonly id: DeliveryId
  readonly eventId: EventId
  /** Attempts that were used up before this one. */
  readonly attempts: number
  readonly cause: AttemptCause
  /** When it was due, which may be after the claim. */
  readonly dueAt: DateTime.Utc
  readonly url: string
  readonly secrets: ReadonlyArray<SigningSecret>
  readonly body: string
}

export type DeliveryResult =
  | { readonly _tag: "Delivered" }
  /** To be tried again. */
  | { readonly _tag: "RetryAt"; readonly at: DateTime.Utc }
  | { readonly _tag: "Exhausted" }
  /** A probe that failed: due by `CircuitBreaker.probeDueAt`, and no attempt used up. */
  | { readonly _tag: "ProbeFailed" }
  /** Nothing was sent, because of a fault on our side. Uses up no attempt, and says nothing about the receiver. */
  | { readonly _tag: "NotSent"; readonly at: DateTime.Utc }
  /** Claimed but not tried: the delivery is as it was before the claim. */
  | { readonly _tag: "Returned"; readonly at: DateTime.Utc }
  /** The receiver is gone for good: its endpoint is disabled, and no attempt is used up. */
  | { readonly _tag: "Gone" }
