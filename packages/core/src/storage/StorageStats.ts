/** Port: what operators read about the whole storage, all accounts together. */
import { Context, type DateTime, type Effect } from "effect"
import type { CarrierName } from "../domain/Ids.ts"
import type { StorageError } from "./StorageError.ts"
import type { WorkKind } from "./WorkStore.ts"

/** `migrations_pending`: the database does not have the schema of this version yet; other methods may fail. */
export type StorageState = "ready" | "migrations_pending"

/** Work that has a due time; replanning has none, and pruning has no deadline. */
export type TimelyKind = Exclude<WorkKind, "plan" | "retention" | "sweep">

/** Live calls that no live node looks after, because none has their carrier. */
export interface StrandedCalls {
  readonly carrier: CarrierName
  readonly calls: number
  /** When the first of their leases ran out. */
  readonly since: DateTime.Utc
}

/** A carrier that waiting calls are to be dialed over, and that no live worker has. */
export interface MissingCarrier {
  readonly carrier: CarrierName
  /** When the first of these calls was due. */
  readonly since: DateTime.Utc
}

/** Row counts are exact up to `Limits.countedRows` and estimated beyond it. */
export interface StorageSnapshot {
  /** Waiting calls. Counted, or estimated when there are many. */
  readonly queuedCalls: number
  /** Calls in progress: the lines in use. */
  readonly liveCalls: number
  /** Lines of all accounts' plans. */
  readonly lines: number
  /** Completed calls without an outcome yet. */
  readonly pendingOutcomes: number
  /** Deliveries that are pending or being sent, to subscribers too. Counted, or estimated when there are many. */
  readonly openDeliveries: number
  /** Webhook endpoints by the state of their circuit breaker. */
  readonly endpoints: { readonly closed: number; readonly open: number; readonly disabled: number }
  /** Accounts that are paused individually. */
  readonly pausedAccounts: number
  readonly deploymentPaused: boolean
  /** Carriers that are paused, by what paused them. */
  readonly pausedCarriers: { readonly fault: number; readonly operator: number }
  /** When slots of a carrier's calls per second were taken last; absent when none were. */
  readonly slotsTakenAt?: DateTime.Utc
  /** Since when the oldest unblocked work of each kind is due; kinds with nothing due are absent. */
  readonly dueSince: ReadonlyMap<TimelyKind, DateTime.Utc>
}

export class StorageStats extends Context.Service<StorageStats, {
  /** The cheapest query that proves that the storage is reachable and has the expected schema. */
  readonly state: Effect.Effect<StorageState, StorageError>
  /** Counts and delays, at a cost that does not grow with the number of waiting calls. */
  readonly snapshot: (now: DateTime.Utc) => Effect.Effect<StorageSnapshot, StorageError>
  /**
   * Live calls whose lease ran out more than `Limits.lineLease` ago, by carrier name. A live node with that carrier would have
   * claimed them.
   */
  readonly strandedCalls: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<StrandedCalls>, StorageError>
  /**
   * The carriers of calls that wait as `carrier_missing` and were due more than `Limits.lineLease` ago, by name. None while no worker
   * with a carrier lives. Calls that wait for a pause to end do not count.
   */
  readonly missingCarriers: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<MissingCarrier>, StorageError>
}>()("@outdial/core/storage/StorageStats") {}
