/** Port: which accounts have due work, and the common options of all claims. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Agent } from "../domain/Agent.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { AccountId, CarrierName, ClaimToken } from "../domain/Ids.ts"
import type { StorageError } from "./StorageError.ts"

/** Kinds of work that falls due. `sweep` is data past its retention, which has no deadline. */
export type WorkKind = "dial" | "plan" | "expiry" | "lease" | "outcome" | "delivery" | "batch" | "retention" | "sweep"

/** Claims at most `limit` pieces of an account's work. */
export interface WorkOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  readonly limit: number
}

export interface ClaimWorkOptions extends WorkOptions {
  readonly token: ClaimToken
}

/** A claimed call, with the version of the agent that it was accepted with. */
export interface ClaimedCall {
  readonly call: CallRecord
  readonly agent: Agent
}

/** Deletes at most `limit` rows that are older than `before`. */
export interface PruneOptions {
  readonly accountId: AccountId
  readonly before: DateTime.Utc
  readonly limit: number
}

/**
 * Restricts leases to calls of these carriers, as in `StaleOptions`, and dials to calls that a claim of a process with them would decide on
 * or plan again, as in `ClaimRound.stepOf`. No call is due for dialing while its carrier is paused. Every carrier when absent.
 */
export interface DueOptions {
  readonly carriers?: ReadonlyArray<CarrierName>
  /**
   * Whether the process has routes. If so, calls of lanes that name no carrier are due whatever is paused, because they are planned again;
   * if not, they go over the first of `carriers`.
   */
  readonly hasRoutes?: boolean
}

export class WorkStore extends Context.Service<WorkStore, {
  /**
   * Accounts with work of the kind due at `now`, longest overdue first. With `after`, in order of their ids instead,
   * starting after that id and wrapping around. For `dial`, only accounts with a free line; for `plan`, accounts with
   * waiting calls that were planned by another policy or other plan data than the current ones.
   */
  readonly accountsDue: (
    options: {
      readonly kind: WorkKind
      readonly now: DateTime.Utc
      readonly limit: number
      readonly after?: AccountId | undefined
    } & DueOptions
  ) => Effect.Effect<ReadonlyArray<AccountId>, StorageError>
  /** The earliest instant, possibly past, at which any stored work falls due; calls of a carrier are not due for dialing before its `dialsFrom`. */
  readonly nextDueAt: (
    options: DueOptions & { readonly dialsFrom?: ReadonlyMap<CarrierName, DateTime.Utc> }
  ) => Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
}>()("@outdial/core/storage/WorkStore") {}
