/**
 * A record of what happened to a call or a batch, for its owner (spec §6). A call ends in exactly one terminal event.
 * An event's body is serialised once: every delivery attempt sends the same bytes.
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

/** The state of an event's delivery. */
export const DeliveryState = Schema.Literals(["pending", "sending", "delivered", "exhausted", "held", "dropped"])
export type DeliveryState = typeof DeliveryState.Type

/** The kinds that an endpoint gets by default: every call ends in one of these two. */
export const defaultSubscription: ReadonlyArray<SubscribableKind> = ["call.completed", "call.not_connected"]

/** An event as it is stored. */
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

/** One change of a call, before storage writes it. */
export interface StateChange {
  readonly before: CallState | undefined
  readonly after: CallState
}

/** A step of a call that was there before. */
export interface Step<C extends CallState> extends StateChange {
  readonly before: C
  readonly after: C
}

/** A change with the whole record of the call, which the event's body needs. */
export interface CallChange extends StateChange {
  readonly after: CallRecord
}

/**
 * Makes the event of a change, inside the transaction that writes the change. Storage calls it for every terminal kind,
 * and for other kinds only while the account's endpoint subscribes to them.
 */
export type EventWriter = (change: CallChange, kind: SubscribableKind) => EventRecord

/** Terminal kinds are stored even without a subscriber. */
export const isTerminal = (kind: SubscribableKind): boolean =>
  kind === "call.completed" || kind === "call.not_connected"

/** The kind of event that a change means, if any. */
export const kindOf = ({ after, before }: StateChange): SubscribableKind | undefined => {
  if (after.status === "completed") {
    // A completed call is reported with its outcome, or when the outcome is given up; after it has waited for its recording.
    return isProcessed(after) && !(before !== undefined && isProcessed(before)) ? "call.completed" : undefined
  }
  if (before?.status === after.status) return undefined
  if (isFinal(after.status)) return "call.not_connected"
  if (after.status === "dialing") return "call.dialing"
  return after.status === "in_progress" ? "call.in_progress" : undefined
}

/** The batches of the calls with a terminal event among these changes: they may be completed now. */
export const endedOf = (changes: ReadonlyArray<CallChange>): ReadonlySet<BatchId> =>
  new Set(changes.flatMap((change) => {
    const kind = kindOf(change)
    const { batchId } = change.after
    return kind !== undefined && isTerminal(kind) && batchId !== null ? [batchId] : []
  }))

const isProcessed = ({ outcomeState }: CallState) => outcomeState === "stored" || outcomeState === "given_up"
