/** What operators are told of the whole storage, all accounts together. */
import type { DateTime, Effect } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import type { StorageError } from "./StorageError.ts"
import type { WorkKind } from "../dispatch/DispatchStore.ts"

/**
 * Whether there is what this version works on. `migrations_pending`: the database has yet to be brought to its schema, and
 * until then nothing may be expected to work.
 */
export type StorageState = "ready" | "migrations_pending"

/** Work that is done at its time; the planner's has none, and the pruning of old events is in no hurry. */
export type TimelyKind = Exclude<WorkKind, "plan" | "retention" | "sweep">

/** Live calls that no live node looks after, because none has their carrier. */
export interface StrandedCalls {
  readonly carrier: CarrierName
  readonly calls: number
  /** When the first of their leases ran out. */
  readonly since: DateTime.Utc
}

export interface Observing {
  /**
   * Live calls whose lease ran out more than `Limits.lineLease` ago, by the carrier's name: a live node that has the carrier would
   * have taken them.
   */
  readonly strandedCalls: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<StrandedCalls>, StorageError>
}

/** How much there is. What may be many rows is counted up to `Limits.countedRows` and estimated beyond. */
export interface Figures {
  /** Calls that wait. Counted, or estimated when there are many. */
  readonly queuedCalls: number
  /** Calls that are going on: the lines in use. */
  readonly liveCalls: number
  /** Lines of all accounts' plans. */
  readonly lines: number
  /** Completed calls whose outcome is still to be made. */
  readonly pendingOutcomes: number
  /** Deliveries that wait or are being sent, of subscribers too. Counted, or estimated when there are many. */
  readonly openDeliveries: number
  /** Webhook endpoints by what their breaker lets through. */
  readonly endpoints: { readonly closed: number; readonly open: number; readonly disabled: number }
  /** Accounts that are paused by themselves. */
  readonly pausedAccounts: number
  readonly deploymentPaused: boolean
  /** Since when the oldest work of each kind is due that nothing holds up; a kind with nothing due is not there. */
  readonly dueSince: ReadonlyMap<TimelyKind, DateTime.Utc>
}
