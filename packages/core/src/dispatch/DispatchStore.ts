/** What claimed work takes and gives: dialing, reports, stale calls, outcomes. */
import type { DateTime } from "effect"
import type { Agent } from "../domain/Agent.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId, CallId, CarrierCallId, CarrierName, ClaimToken } from "../domain/Ids.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { OutcomeResult } from "../rules/call/CallLife.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import type { DeliverySender, HandedOver } from "../webhook/DeliveryStore.ts"

/** Kinds of work that falls due. `sweep` is what is kept longer than it need be; nobody waits for it at an instant. */
export type WorkKind = "dial" | "plan" | "expiry" | "lease" | "outcome" | "delivery" | "batch" | "retention" | "sweep"

export interface AdoptTimeZonesOptions {
  readonly version: string
  readonly now: DateTime.Utc
  /** Whether the process has just started: who starts last has the data that counts. */
  readonly isStarting: boolean
}

export interface ReplanOptions extends WorkOptions {
  readonly rules: Pick<DialRules, "laneOf">
  readonly events: EventWriter
}

export interface ExpireOptions extends WorkOptions {
  readonly rules: Pick<DialRules, "dayStart" | "holdOf">
  readonly events: EventWriter
}

export interface ClaimOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  /** Most calls to claim. */
  readonly limit: number
  readonly token: ClaimToken
  /** Stored with each call that is claimed. */
  readonly carrier: CarrierName
  readonly rules: DialRules
  /** The data on time zones that the rules mark lanes with; such lanes are not planned anew. */
  readonly timeZoneData?: string
  readonly events: EventWriter
}

/** Claimed work on a call, with the version of the agent that it was accepted with. */
export interface ClaimedCall {
  readonly call: CallRecord
  readonly agent: Agent
}

export interface ClaimResult {
  /** Now `dialing`, to be submitted under the claim's token. */
  readonly claimed: ReadonlyArray<ClaimedCall>
  /** How many others were held, ended or planned anew. */
  readonly moved: number
  /** Somebody else had the account and may have looked already: what has come since is worth another try. */
  readonly isLocked: boolean
}

export interface SubmitOptions {
  readonly accountId: AccountId
  readonly callIds: ReadonlyArray<CallId>
  readonly token: ClaimToken
  readonly now: DateTime.Utc
}

/**
 * Why nothing was sent: the carrier could not be reached; nobody has passed the fence; or the node that has passed it woke too
 * late to ask the carrier.
 */
export type ReturnReason = "carrier_unavailable" | "not_submitted" | "dial_deadline_passed"

export interface ReturnOptions extends SubmitOptions {
  readonly reason: ReturnReason
  readonly events: EventWriter
}

export interface LineReport {
  readonly callId: CallId
  readonly event: CarrierEvent
}

/** Outcomes that are claimed with the ends of their calls. */
export interface OutcomeClaim {
  readonly token: ClaimToken
  /** Most of them; the others wait for `claimOutcomes`. */
  readonly limit: number
}

export interface ReportOptions {
  readonly accountId: AccountId
  readonly reports: ReadonlyArray<LineReport>
  readonly now: DateTime.Utc
  readonly events: EventWriter
  /** How outcomes that the reports make due are claimed at once; without it they wait for `claimOutcomes`. */
  readonly outcomes?: OutcomeClaim
  readonly sender?: DeliverySender | undefined
}

export interface ReportResult extends HandedOver {
  /** What became of each report, in their order. */
  readonly answers: ReadonlyArray<"changed" | "ignored" | "hang_up" | "unknown">
  /** The calls among them whose outcome is held under the token: claimed now, or by the same reports before. */
  readonly completed: ReadonlyArray<ClaimedCall>
}

/** A call whose lease has run out. */
export interface StaleCall {
  readonly callId: CallId
  readonly token: ClaimToken
  readonly phoneNumber: PhoneNumber
  /** Of the agent's version that the call was accepted with. */
  readonly callerId?: PhoneNumber
  /** Absent when it was claimed but never handed to the carrier. */
  readonly submittedAt?: DateTime.Utc
  readonly carrierCallId?: CarrierCallId
  /** Set when it is to end. */
  readonly hangUpAt?: DateTime.Utc
}

/** Work claimed for one account, at most `limit` pieces of it. */
export interface WorkOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  readonly limit: number
}

/** Of leases only those of calls of these carriers, as in `StaleOptions`; of every carrier when not given. */
export interface DueOptions {
  readonly carriers?: ReadonlyArray<CarrierName>
}

/** Leases of calls that were claimed for these carriers. Calls that name no carrier belong to any. */
export interface StaleOptions extends WorkOptions {
  readonly carriers: ReadonlyArray<CarrierName>
}

export interface ClaimWorkOptions extends WorkOptions {
  readonly token: ClaimToken
}

export interface SettleOutcomesOptions {
  readonly accountId: AccountId
  readonly token: ClaimToken
  readonly now: DateTime.Utc
  readonly results: ReadonlyArray<{ readonly callId: CallId; readonly result: OutcomeResult }>
  readonly events: EventWriter
  readonly sender?: DeliverySender | undefined
}
