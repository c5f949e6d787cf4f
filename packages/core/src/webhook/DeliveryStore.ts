/** What deliveries take and give, and what is told of them. */
import type { DateTime, Option } from "effect"
import type { EventRecord, SubscribableKind } from "../domain/Event.ts"
import type { AccountId, BatchId, CallId, ClaimToken, DeliveryId, EventId } from "../domain/Ids.ts"
import type { SigningSecret } from "../domain/WebhookEndpoint.ts"
import type { Sign } from "../rules/webhook/CircuitBreaker.ts"
import type { ClaimWorkOptions } from "../dispatch/DispatchStore.ts"

export interface ClaimDeliveriesOptions extends ClaimWorkOptions {
  /**
   * How many may be claimed beyond those in flight, to be sent as soon as these have their answers; 0 when absent. The sender
   * that asks for it claims under one token, by which what it has is told from what others have.
   */
  readonly ahead?: number
}

/**
 * Who sends the deliveries of events that are being written: those to the endpoint are claimed with them, as `claimDeliveries`
 * would right afterwards, when nothing else is due to the endpoint and nothing is in doubt of it.
 */
export type DeliverySender = Pick<ClaimDeliveriesOptions, "token" | "limit" | "ahead">

/** What became of the deliveries that were written. */
export interface HandedOver {
  /** Claimed for the sender. */
  readonly deliveries: ReadonlyArray<ClaimedDelivery>
  /** Whether there are others, which are to be claimed. */
  readonly isMore: boolean
}

/** An event on its way to the account's endpoint. */
export interface ClaimedDelivery {
  readonly id: DeliveryId
  readonly eventId: EventId
  /** Attempts that it has used up before this one. */
  readonly attempts: number
  readonly cause: AttemptCause
  /** When it was due, maybe later than it was claimed. */
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
  /** Nothing was sent, by a fault on our side, which says nothing of the receiver: no attempt used up. */
  | { readonly _tag: "NotSent"; readonly at: DateTime.Utc }
  /** Claimed, and not tried: as it was before the claim. */
  | { readonly _tag: "Returned"; readonly at: DateTime.Utc }
  /** The receiver says that it will never be there again: its endpoint is disabled, and no attempt used up. */
  | { readonly _tag: "Gone" }

/** What a result tells of the receiver, if anything was tried. */
export const signOf = ({ _tag }: DeliveryResult): Sign | undefined => {
  switch (_tag) {
    case "Delivered":
      return "delivered"
    case "ProbeFailed":
      return "probe_failed"
    case "NotSent":
      return "unknown"
    case "Gone":
      return "gone"
    case "Returned":
      return undefined
    default:
      return "failed"
  }
}

/** Why an attempt was made: by the schedule, to see whether the receiver is back, or because its owner asked for it. */
export type AttemptCause = "schedule" | "probe" | "redeliver" | "recover"

export interface SettleDeliveriesOptions {
  readonly accountId: AccountId
  /** The subscriber that the deliveries were claimed for; the webhook endpoint when absent. */
  readonly subscriber?: string
  readonly token: ClaimToken
  readonly now: DateTime.Utc
  readonly results: ReadonlyArray<{
    readonly deliveryId: DeliveryId
    readonly result: DeliveryResult
    /** What the receiver answered or what went wrong, for the delivery log; without it there is nothing new to tell. */
    readonly attempt?: DeliveryAttempt
  }>
}

/** `held` is pending while its endpoint is disabled; `dropped` was on its way when its endpoint was removed. */
export type DeliveryState = "pending" | "sending" | "delivered" | "exhausted" | "held" | "dropped"

/** An event with the state of its delivery, if it has one. */
export interface StoredEvent extends EventRecord {
  /** Whether its body was erased; what is left of it is sent, and not shown. */
  readonly isErased: boolean
  readonly delivery: Option.Option<{ readonly state: DeliveryState; readonly attempts: number }>
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

export interface DeliveryAttempt {
  readonly cause: AttemptCause
  readonly at: DateTime.Utc
  readonly statusCode?: number
  readonly errorCode?: string
  readonly durationMs: number
}

/** What became of asking to send an event again. */
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

/** What became of asking for what was not delivered. */
export type RecoverResult =
  | { readonly _tag: "Recovering"; readonly deliveries: number }
  | { readonly _tag: "NoWebhook" }
  | { readonly _tag: "Disabled" }
