/** Decides a claim's candidates in order, each by the facts after the calls before it. Pure: returns the next state. */
import type { DateTime } from "effect"
import type { CallRecord, Hold } from "../../domain/Call.ts"
import type { Step } from "../../domain/Event.ts"
import type { CarrierName, ClaimToken } from "../../domain/Ids.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import { decided } from "../call/CallLife.ts"
import * as HoldHistory from "../call/HoldHistory.ts"
import * as HoldPeriods from "../call/HoldPeriods.ts"
import type { DialDecision, DialRules } from "../policy/DialDecision.ts"
import { type AccountFacts, afterDial, type NumberFacts } from "../policy/DialFacts.ts"

export interface ClaimRound {
  readonly facts: AccountFacts
  /** Before the round. */
  readonly shared: HoldPeriods.SharedPeriods
  /** The changes so far, in order. */
  readonly changes: ReadonlyArray<Step<CallRecord>>
  /** How many candidates were decided. */
  readonly examined: number
  /** How many calls were claimed. */
  readonly placed: number
  /** The same for each carrier. */
  readonly placedOver: ReadonlyMap<CarrierName, number>
  /** What the account waits for, and not only one call: the calls after it would wait for the same. */
  readonly waitsFor?: Extract<DialDecision, { readonly _tag: "wait" }>
}

export interface Options {
  readonly now: DateTime.Utc
  /** Most calls to claim. */
  readonly limit: number
  readonly token: ClaimToken
  /** The carrier of calls whose lane names none. */
  readonly carrier: CarrierName
  /** Most calls to claim for each carrier; none for any other. Absent: `limit`, for `carrier` alone. */
  readonly slots?: ReadonlyMap<CarrierName, number>
  readonly rules: Pick<DialRules, "decide">
}

export const start = (facts: AccountFacts, shared: HoldPeriods.SharedPeriods): ClaimRound => ({
  facts,
  shared,
  changes: [],
  examined: 0,
  placed: 0,
  placedOver: new Map()
})

/** Whether no further candidate is to be decided. */
export const isOver = ({ examined, placed, waitsFor }: ClaimRound, { limit }: Pick<Options, "limit">): boolean =>
  waitsFor !== undefined || placed >= limit || examined >= Limits.claimCandidates

/** What a claim does with the due calls of a lane. */
export type LaneStep = "decide" | "replan" | "leave"

export interface StepOptions extends Pick<Options, "slots"> {
  /** Whether the lane is of the adopted plan. */
  readonly isAdopted: boolean
  /** Whether the adopted plan has routes. */
  readonly areRoutesAdopted: boolean
  /** Of the process that claims. */
  readonly plan: Lane.Plan
}

/**
 * A claim decides on lanes of the adopted plan and of its own, and plans the calls of others again. With routes, a lane that names no carrier was
 * planned by a process without them: its calls may belong to any carrier, and are planned again. A process without routes does not know whose
 * calls they are while others plan by routes: then it decides only on lanes that those have planned and that name a carrier.
 */
export const stepOf = (lane: Lane.Lane, { areRoutesAdopted, isAdopted, plan, slots }: StepOptions): LaneStep => {
  const isRouted = Lane.carrierOf(lane) !== undefined
  if (slots === undefined && areRoutesAdopted) return isAdopted && isRouted ? "decide" : "leave"
  return Lane.isPlannedBy(lane, plan) || (isAdopted && (slots === undefined || isRouted)) ? "decide" : "replan"
}

/** Whether calls of the lane can still be claimed: its carrier takes more calls, and is not paused. Others are left undecided. */
export const isLaneOpen = (
  { facts, placedOver }: Pick<ClaimRound, "facts"> & Partial<Pick<ClaimRound, "placedOver">>,
  lane: Lane.Lane,
  { carrier: ours, limit, slots }: Pick<Options, "carrier" | "limit" | "slots">
): boolean => {
  const carrier = Lane.carrierOf(lane) ?? ours
  const most = slots === undefined ? (carrier === ours ? limit : 0) : slots.get(carrier) ?? 0
  return !facts.pausedCarriers.has(carrier) && (placedOver?.get(carrier) ?? 0) < most
}

/** The round after these candidates. `numberOf` is called only for candidates that are decided. */
export const decide = (
  round: ClaimRound,
  calls: ReadonlyArray<CallRecord>,
  numberOf: (call: CallRecord) => NumberFacts,
  options: Options
): ClaimRound => {
  const changes = [...round.changes]
  let next = round
  for (const before of calls) {
    if (isOver(next, options)) break
    if (!isLaneOpen(next, before.lane, options)) continue
    const carrier = Lane.carrierOf(before.lane) ?? options.carrier
    const decision = options.rules.decide(before, { ...next.facts, number: numberOf(before) })
    next = { ...next, examined: next.examined + 1, ...(decision._tag === "wait" && { waitsFor: decision }) }
    if (decision._tag === "wait") continue
    const known = HoldHistory.withShared(before, round.shared, options.now)
    const after = decided(known, decision, { ...options, carrier, epoch: next.facts.account.epoch })
    if (after === undefined) continue
    changes.push({ before, after })
    if (after.status === "dialing") {
      const placedOver = new Map(next.placedOver).set(carrier, (next.placedOver.get(carrier) ?? 0) + 1)
      next = { ...next, facts: afterDial(next.facts), placed: next.placed + 1, placedOver }
    }
  }
  return { ...next, changes }
}

/**
 * The account's periods after the round. While its lines are full no claim is made, so they count as soon as they are. A round that ended by its
 * limits has not found out what else the account waits for.
 */
export const periodsAfter = (round: ClaimRound, options: Pick<Options, "limit" | "slots">): HoldPeriods.HoldPeriods => {
  const { facts: { account, deploymentPaused, linesInUse, now }, shared, waitsFor } = round
  if (deploymentPaused) return shared.account
  const hold = HoldPeriods.bySettings(account, waitsFor === undefined ? linesInUse : 0) ?? heldBy(waitsFor)
  const isUnknown = hold === undefined && isCut(round, options) && shared.account.at(-1)?.code !== "lines_busy"
  return isUnknown ? shared.account : HoldPeriods.after(shared.account, hold, now)
}

/** What an unreadable policy waits for has no known end: until then it is only checked again. */
const heldBy = (wait: ClaimRound["waitsFor"]): Hold | undefined =>
  wait &&
  { code: wait.code, ...(wait.until !== undefined && wait.code !== "policy_unreadable" && { until: wait.until }) }

/** Whether the round ended by its limit, or by the slots of a carrier. */
const isCut = (round: ClaimRound, { slots, ...options }: Pick<Options, "limit" | "slots">): boolean =>
  isOver(round, options) ||
  (slots !== undefined && [...slots].some(([carrier, most]) => (round.placedOver.get(carrier) ?? 0) >= most))

/** The calls that the round has claimed. */
export const claimed = ({ changes }: ClaimRound): ReadonlyArray<CallRecord> =>
  changes.flatMap(({ after }) => after.status === "dialing" ? [after] : [])
