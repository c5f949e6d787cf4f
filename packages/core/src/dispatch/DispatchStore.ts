/** Port: waiting and live calls, from the claim to the reports of the carrier. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId, CallId, CarrierCallId, CarrierName, ClaimToken } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { Adopting } from "../rules/dispatch/PlanAdoption.ts"
import type { Answer, LineReport } from "../rules/dispatch/Reports.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { ClaimedCall, WorkOptions } from "../storage/WorkStore.ts"

export type { Adopting, LineReport }

export interface ReplanOptions extends WorkOptions {
  readonly rules: Pick<DialRules, "laneOf">
  readonly events: EventWriter
}

export interface ExpireOptions extends WorkOptions {
  readonly rules: Pick<DialRules, "dayStart" | "holdOf" | "timeRules">
  readonly events: EventWriter
}

export interface ClaimOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  /** Most calls to claim. */
  readonly limit: number
  readonly token: ClaimToken
  /** Stored with each call that is claimed in a lane that names no carrier. */
  readonly carrier: CarrierName
  /** Most calls to claim for each carrier. Calls of others are left, unread. Absent: `limit`, for `carrier` alone. */
  readonly slots?: ReadonlyMap<CarrierName, number>
  readonly rules: DialRules
  /** The version of the process's plan data, which the names of lanes have. Lanes with this version are not replanned. */
  readonly planData?: string
  readonly events: EventWriter
}

export interface ClaimResult {
  /** Now `dialing`, to be submitted under the claim's token. */
  readonly claimed: ReadonlyArray<ClaimedCall>
  /** How many others were held, ended or replanned. */
  readonly moved: number
  /** Another node has locked the account and may have read before the latest change: try again later. */
  readonly isLocked: boolean
}

export interface SubmitOptions {
  readonly accountId: AccountId
  readonly callIds: ReadonlyArray<CallId>
  readonly token: ClaimToken
  readonly now: DateTime.Utc
}

/**
 * Why nothing was sent: the carrier was unreachable, or refused the operator's account; the call was not submitted; or the node that
 * submitted it was suspended beyond the dial deadline.
 */
export type ReturnReason = "carrier_not_authorized" | "carrier_unavailable" | "not_submitted" | "dial_deadline_passed"

export interface ReturnOptions extends SubmitOptions {
  readonly reason: ReturnReason
  readonly events: EventWriter
}

export interface ReportOptions {
  readonly accountId: AccountId
  readonly reports: ReadonlyArray<LineReport>
  readonly now: DateTime.Utc
  readonly events: EventWriter
}

export interface StaleCall {
  readonly callId: CallId
  readonly token: ClaimToken
  readonly phoneNumber: PhoneNumber
  /** Absent for a call of an older version: any carrier's. */
  readonly carrier?: CarrierName
  /** Of the agent's version that the call was accepted with. */
  readonly callerId?: PhoneNumber
  /** Absent when it was claimed but never sent to the carrier. */
  readonly submittedAt?: DateTime.Utc
  readonly carrierCallId?: CarrierCallId
  /** Set when it is to end. */
  readonly hangUpAt?: DateTime.Utc
}

/** Leases of calls that were claimed for these carriers. Calls that name no carrier belong to any. */
export interface StaleOptions extends WorkOptions {
  readonly carriers: ReadonlyArray<CarrierName>
}

export class DispatchStore extends Context.Service<DispatchStore, {
  /**
   * Claims due calls of one account: single calls before batches, then by due time, then by id. Locks the account before it reads,
   * so that the facts hold at commit; claims nothing while another claim of the account is running. Replans due calls of an earlier
   * plan, by `ClaimRound.stepOf`, and those that have failed over to a paused carrier, before it decides about them, but few more than may be claimed: `replanCalls` does the rest. Skips calls in closed lanes, and
   * of carriers that are paused or have no slots, and decides on at most `Limits.claimCandidates` of the others. A `wait` that names an instant keeps the account from being due
   * before it.
   */
  readonly claimDue: (options: ClaimOptions) => Effect.Effect<ClaimResult, StorageError>
  /** Replans calls that were planned by anything but the current policy and data; returns how many. Blocks no claim. */
  readonly replanCalls: (options: ReplanOptions) => Effect.Effect<number, StorageError>
  /**
   * The fence before the carrier is called. Returns those of the calls that are still `dialing` under this token, not yet submitted,
   * before the claim's `dialBy`, not paused, nor their carrier, and under the account's epoch of the claim. Only these may be dialed.
   */
  readonly submit: (options: SubmitOptions) => Effect.Effect<ReadonlySet<CallId>, StorageError>
  /** Returns calls to the queue, by `CallLife.returnedToQueue` with the paused carriers, and reconsiders the calls that they blocked. */
  readonly returnToQueue: (options: ReturnOptions) => Effect.Effect<void, StorageError>
  /**
   * Applies carrier reports by `Reports.apply`; returns an answer for each, in their order. When a call has ended, reconsiders the
   * calls that wait for its number.
   */
  readonly report: (options: ReportOptions) => Effect.Effect<ReadonlyArray<Answer>, StorageError>
  /** Claims calls of these carriers whose lease has run out, and renews the lease, so that one node at a time handles each call. */
  readonly claimStaleCalls: (options: StaleOptions) => Effect.Effect<ReadonlyArray<StaleCall>, StorageError>
  /** Ends waiting calls that have expired, by `CallLife.expired` with `DialDecision.atExpiry`; returns how many. */
  readonly expireCalls: (options: ExpireOptions) => Effect.Effect<number, StorageError>
  /**
   * Makes this version of the plan data the one that waiting calls of all accounts are planned by, if `PlanAdoption.replaces` says so, or renews
   * it. Returns the version in use.
   */
  readonly adoptPlanData: (options: Adopting) => Effect.Effect<string, StorageError>
  /** The version of the plan data in use; none when no process that has it has been seen for `Limits.planDataLease`. */
  readonly adoptedPlanData: (now: DateTime.Utc) => Effect.Effect<Option.Option<string>, StorageError>
}>()("@outdial/core/dispatch/DispatchStore") {}
