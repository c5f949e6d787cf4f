/**
 * What happened to a call or a batch, told to its owner (spec §6). A call ends in exactly one terminal event. An event's body is
 * serialised once: every attempt to deliver it sends the same bytes.
 */
import { Schema } from "effect"
import type { DateTime } from "effect"
import { type CallRecord, type CallState, isFinal } from "./Call.ts"
import type { AccountId, BatchId, CallId, EventId } from "./Ids.ts"

/** Kinds that an endpoint can subscribe to. */
export const SubscribableKind = Schema.Literals([
  "call.completed",
  "call.not_connected",
  "call.dialing",
  "call.in_progress",
  "call.outcome_updated",
  "batch.completed"
])
export type SubscribableKind = typeof SubscribableKind.Type

/** Where the delivery of an event stands. */
export const DeliveryState = Schema.Literals(["pending", "sending", "delivered", "exhausted", "held", "dropped"])
export type DeliveryState = typeof DeliveryState.Type

/** What an endpoint gets that did not choose: the two kinds of which every call ends in one. */
export const defaultSubscription: ReadonlyArray<SubscribableKind> = ["call.completed", "call.not_connected"]

/** An event as storage keeps it. */
export interface EventRecord {
  readonly id: EventId
  readonly accountId: AccountId
  /** The call that the event is about; absent if it is about a batch. */
  readonly callId?: CallId
  /** The batch that the event is about. */
  readonly batchId?: BatchId
  readonly type: SubscribableKind
  readonly createdAt: DateTime.Utc
  /** The JSON that is delivered, byte for byte. */
  readonly body: string
}

/** One step in the life of a call, as storage is about to write it. */
export interface StateChange {
  readonly before: CallState | undefined
  readonly after: CallState
}

/** A step of a call that was there before. */
export interface Step<C extends CallState> extends StateChange {
  readonly before: C
  readonly after: C
}

/** A change with what was asked for, which is what there is to tell. */
export interface CallChange extends StateChange {
  readonly after: CallRecord
}

/**
 * The event that a change means, made inside the transaction that writes the change. Storage asks for terminal kinds
 * always and for others only while the account's endpoint subscribes to them.
 */
export type EventWriter = (change: CallChange, kind: SubscribableKind) => EventRecord

/** Terminal kinds are recorded whether or not anybody subscribes. */
export const isTerminal = (kind: SubscribableKind): boolean =>
  kind === "call.completed" || kind === "call.not_connected"

/** The kind of event that a change means, if any. */
export const kindOf = ({ after, before }: StateChange): SubscribableKind | undefined => {
  if (after.status === "completed") {
    // A completed call is reported with its outcome, or when the outcome is given up.
    return isProcessed(after) && !(before !== undefined && isProcessed(before)) ? "call.completed" : undefined
  }
  if (before?.status === after.status) return undefined
  if (isFinal(after.status)) return "call.not_connected"
  if (after.status === "dialing") return "call.dialing"
  return after.status === "in_progress" ? "call.in_progress" : undefined
}

/** The batches of which a call has been told the end of: they may be completed now. */
export const endedOf = (changes: ReadonlyArray<CallChange>): ReadonlySet<BatchId> =>
  new Set(changes.flatMap((change) => {
    const kind = kindOf(change)
    const { batchId } = change.after
    return kind !== undefined && isTerminal(kind) && batchId !== null ? [batchId] : []
  }))

const isProcessed = ({ outcomeState }: CallState) => outcomeState === "stored" || outcomeState === "given_up"
