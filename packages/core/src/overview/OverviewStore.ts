/**
 * Port: what an account does at this moment, for people who watch it. Reads of bounded cost: rows are counted up to
 * `Limits.overviewRows`, and lanes up to `Limits.overviewLanes`.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { CallStatus } from "../domain/Call.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { Lane } from "../domain/Lane.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { StatusCode } from "../domain/StatusCode.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** Calls that wait, and when the first of them is due. */
export interface WaitingCalls {
  readonly calls: number
  readonly first: DateTime.Utc
}

/** The waiting calls of a lane. */
export interface WaitingLane {
  readonly lane: Lane
  /** Of one of its calls. */
  readonly phoneNumber: PhoneNumber
  /** Calls that are due: only what holds the lane or the account may hold them. Absent without any. */
  readonly due?: WaitingCalls
  /** Calls that are due later, by what holds each of them. Shares of codes are projected from the first `Limits.overviewSample`. */
  readonly later: ReadonlyArray<WaitingCalls & { readonly statusCode?: StatusCode }>
}

export interface AccountActivity {
  /** By lane. */
  readonly waiting: ReadonlyArray<WaitingLane>
  /** Whether every waiting call was counted. */
  readonly isExact: boolean
  readonly dialing: number
  readonly inProgress: number
  /** Calls that were dialed since the given instant, by their status now; the newest, when there are very many. */
  readonly dialed: ReadonlyMap<CallStatus, number>
  /** How many of these were answered. */
  readonly answered: number
  /** Deliveries to the webhook that are pending or being sent. */
  readonly openDeliveries: number
  /** When the first of them is due, maybe in the past. */
  readonly deliveryDueAt?: DateTime.Utc
  /** Whether the receiver has failed so often that deliveries to it pause. */
  readonly isWebhookFailing: boolean
}

/** Kinds of changes that are seen as a whole. */
export const markedKinds = [
  "queue",
  "events",
  "batches",
  "agents",
  "account",
  "doNotCall",
  "webhook",
  "deliveries",
  "keys",
  "carriers"
] as const
export type MarkedKind = (typeof markedKinds)[number]

/** The state of an account in short. A mark is equal to an earlier one as long as nothing of its kind has changed. */
export interface AccountMarks {
  /** Live calls with their status, at most `Limits.markedCalls`. */
  readonly live: ReadonlyMap<CallId, CallStatus>
  readonly marks: Readonly<Record<MarkedKind, string>>
}

export class OverviewStore extends Context.Service<OverviewStore, {
  /** An unknown account is a bug of the caller. */
  readonly activity: (options: {
    readonly accountId: AccountId
    readonly now: DateTime.Utc
    /** Dialed calls count from here on. */
    readonly since: DateTime.Utc
  }) => Effect.Effect<AccountActivity, StorageError>
  /** The marks of these accounts; unknown ones are left out. A change that commits concurrently may be seen by the next read only. */
  readonly marks: (
    accountIds: ReadonlyArray<AccountId>
  ) => Effect.Effect<ReadonlyMap<AccountId, AccountMarks>, StorageError>
}>()("@outdial/core/overview/OverviewStore") {}
