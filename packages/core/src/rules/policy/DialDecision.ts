/**
 * Decides about one waiting call at one instant, by all rules. Pure, so that it runs inside the transaction of the
 * claim: its facts are the facts that hold when the claim commits. If a rule cannot be evaluated, the call is not
 * dialed (fail closed).
 */
import { DateTime, Duration } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { CallRecord, CallState, Hold } from "../../domain/Call.ts"
import type { DecisionBasis } from "../../domain/DecisionBasis.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as Policy from "../../domain/Policy.ts"
import type { StatusCode } from "../../domain/StatusCode.ts"
import * as Basis from "./Basis.ts"
import * as CallingHours from "./CallingHours.ts"
import * as DailyLimit from "./DailyLimit.ts"
import type { AccountFacts, DialFacts } from "./DialFacts.ts"
import * as TimeRules from "./TimeRules.ts"
import * as Timetable from "./Timetable.ts"

/**
 * `dial` before the instant `by`, after which the call must not be sent to the carrier. `hold` moves the call to a
 * later instant. `wait` leaves it due, and with it all calls after it: for a line, the end of a pause, or until the
 * account may call again.
 */
export type DialDecision =
  | { readonly _tag: "dial"; readonly by: DateTime.Utc; readonly basis?: DecisionBasis }
  | { readonly _tag: "wait"; readonly code: StatusCode; readonly until?: DateTime.Utc }
  | {
    readonly _tag: "hold"
    readonly code: StatusCode
    readonly until: DateTime.Utc
    /** Set when the end of the hold is not known: `until` is when to check again. */
    readonly isOpenEnded?: true
  }
  | ({ readonly _tag: "end"; readonly status: "canceled" | "expired"; readonly code: StatusCode } & AtExpiry)

/** Of an expired call: what held it, and what that was decided from. */
export interface AtExpiry {
  readonly heldBy?: Hold
  readonly basis?: DecisionBasis
}

/** The rules' interface for storage and engine. Synchronous, for use inside a transaction. */
export interface DialRules {
  /** The decision about a due call. */
  readonly decide: (call: CallRecord, facts: DialFacts) => DialDecision
  /** The present hold of a waiting call; `undefined` when it may be dialed. */
  readonly holdOf: (call: TimeRules.Candidate, facts: DialFacts) => Hold | undefined
  /** The rules about time, in the order in which ties are reported; none while the policy cannot be read. */
  readonly timeRules: (call: TimeRules.Candidate, facts: DialFacts) => ReadonlyArray<TimeRules.Rule>
  /** What holds all calls of the lane, such as its calling hours, and when to check again; `undefined` when nothing does. */
  readonly laneHold: (lane: Lane.Lane, facts: AccountFacts) => LaneHold | undefined
  /** The lane for a call by the account's policy of today. */
  readonly laneOf: (account: Account, call: PlannedCall) => Lane.Lane
  /** When the account's local day began; absent without a daily limit. */
  readonly dayStart: (account: Account, now: DateTime.Utc) => DateTime.Utc | undefined
}

/** A hold of all calls of a lane. */
export interface LaneHold extends Hold {
  readonly until: DateTime.Utc
}

/** What lanes depend on. */
export interface PlannedCall extends Pick<CallRecord, "agentId" | "contact" | "phoneNumber"> {
  /** Of the agent's version that the call was accepted with. */
  readonly callerId?: PhoneNumber
  /** The present lane of a call that is planned again. */
  readonly lane?: Lane.Lane
}

/** What the rules look up, including the zones of a callee. */
export interface DialContext extends TimeRules.RuleContext {
  readonly zonesOf: (call: Pick<CallRecord, "contact" | "phoneNumber">) => ReadonlyArray<string>
}

/** When to check again for a change without a notification. */
const recheckAt = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.recheckAfter)

/** When to check again for a change that replans the call. */
const untilChanged = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.horizon)

export const make = ({ offset, originOf, zonesOf }: DialContext): DialRules => {
  const rules = TimeRules.make({ offset, originOf })

  const decide: DialRules["decide"] = (call, facts) => {
    const { account, now, number } = facts
    if (isExpired(call, now)) {
      return { _tag: "end", status: "expired", code: "queue_expired", ...atExpiry({ holdOf, timeRules }, call, facts) }
    }
    if (number.doNotCall) return { _tag: "end", status: "canceled", code: "do_not_call" }
    const stop = stopCode(call, facts)
    if (stop === "policy_unreadable") return { _tag: "wait", code: stop, until: recheckAt(now) }
    if (stop !== undefined) return { _tag: "wait", code: stop }
    const all = timeRules(call, facts)
    const held = Timetable.earliest(all.filter(({ holds }) => holds !== "account"), now)
    if (held.reason !== undefined) {
      return held.dueAt === undefined
        ? { _tag: "hold", code: held.reason, until: untilChanged(now), isOpenEnded: true }
        : { _tag: "hold", code: held.reason, until: held.dueAt }
    }
    // The end of the other call wakes this one. The instant is for a lost wake-up.
    if (number.isBusy) return { _tag: "hold", code: "number_busy", until: recheckAt(now), isOpenEnded: true }
    const daily = Timetable.earliest(all.filter(({ holds }) => holds === "account"), now)
    if (daily.reason !== undefined) {
      return { _tag: "wait", code: daily.reason, until: daily.dueAt ?? untilChanged(now) }
    }
    const slot = nextSlot(facts)
    if (DateTime.isGreaterThan(slot, now)) return { _tag: "wait", code: "calls_per_second", until: slot }
    // Last: a call that may not be dialed anyway never waits for a line.
    if (facts.linesInUse >= account.lines) return { _tag: "wait", code: "lines_busy" }
    const closesAt = hoursEnd(call, facts)
    return { _tag: "dial", by: dialBy(call, now, closesAt), basis: Basis.of(call, facts, { closesAt }) }
  }

  const holdOf: DialRules["holdOf"] = (call, facts) => {
    const { account, now, number } = facts
    if (isExpired(call, now)) return { code: "queue_expired" }
    if (number.doNotCall) return { code: "do_not_call" }
    const stop = stopCode(call, facts)
    if (stop !== undefined) return { code: stop }
    const { dueAt, reason } = Timetable.earliest(timeRules(call, facts), now)
    if (dueAt !== undefined && isExpired(call, dueAt)) return { code: "expires_before_allowed" }
    if (reason !== undefined) return { code: reason, ...(dueAt !== undefined && { until: dueAt }) }
    if (number.isBusy) return { code: "number_busy" }
    if (DateTime.isGreaterThan(nextSlot(facts), now)) return { code: "calls_per_second" }
    return facts.linesInUse >= account.lines ? { code: "lines_busy" } : undefined
  }

  const timeRules: DialRules["timeRules"] = (call, facts) =>
    facts.account.policy === undefined ? [] : rules.of(call, facts, facts.account.policy)

  const hoursEnd = (call: TimeRules.Candidate, { account, now }: AccountFacts): DateTime.Utc | undefined => {
    const callee = { ...Lane.parts(call.lane), agentId: call.agentId }
    const hours = rules.callingHours(account.policy ?? {}, callee, now)
    return typeof hours === "string" ? undefined : CallingHours.closesAt(hours, now)
  }

  return {
    decide,
    timeRules,

    holdOf,

    laneHold: (lane, { account: { policy }, now }) => {
      if (policy === undefined) return undefined
      const rule = rules.hoursRule(policy, Lane.parts(lane), now)
      const until = rule.nextAllowed(now) ?? untilChanged(now)
      return DateTime.isGreaterThan(until, now) ? { code: rule.code, until } : undefined
    },

    laneOf: ({ planVersion, policy }, call) =>
      Lane.make({
        planVersion,
        timeZones: zonesOf(call),
        ...(policy?.agents?.[call.agentId] !== undefined && { agentId: call.agentId })
      }),

    dayStart: ({ policy }, now) => {
      const { dailyLimit, timeZone } = Policy.complete(policy ?? {})
      return dailyLimit === null ? undefined : DailyLimit.dayStart(timeZone, now, offset)
    }
  }
}

/** The last moment at which a dial that is allowed now still is. */
const dialBy = (
  { expiresAt }: TimeRules.Candidate,
  now: DateTime.Utc,
  closesAt: DateTime.Utc | undefined
): DateTime.Utc => {
  const deadline = DateTime.min(DateTime.addDuration(now, Limits.dialDeadline), expiresAt)
  return closesAt === undefined ? deadline : DateTime.min(deadline, closesAt)
}

const isExpired = ({ expiresAt }: TimeRules.Candidate, now: DateTime.Utc) =>
  DateTime.isLessThanOrEqualTo(expiresAt, now)

const stopCode = (call: TimeRules.Candidate, facts: AccountFacts): StatusCode | undefined => {
  const { account, deploymentPaused } = facts
  if (account.paused || deploymentPaused) return "account_paused"
  if (isCarrierPaused(call, facts)) return "carrier_paused"
  if (isCarrierMissing(call, facts)) return "carrier_missing"
  return account.policy === undefined ? "policy_unreadable" : undefined
}

/** Whether no call of the lane can be dialed, because its carrier is paused. The next claim moves calls that have failed over to it. */
export const isCarrierPaused = (
  { lane }: Pick<CallState, "lane">,
  { carrierPaused, pausedCarriers }: AccountFacts
): boolean => {
  const carrier = Lane.carrierOf(Lane.isAstray(lane, pausedCarriers) ? Lane.fromFirst(lane, pausedCarriers) : lane)
  return carrier === undefined ? carrierPaused : pausedCarriers.has(carrier)
}

/** Whether workers are alive, and none has the carrier that the lane names: only a process with that carrier, or with other routes, dials its calls. */
export const isCarrierMissing = (
  { lane }: Pick<CallState, "lane">,
  { carrierMissing = false, runningCarriers }: AccountFacts
): boolean => {
  const carrier = Lane.carrierOf(lane)
  return carrier === undefined ? carrierMissing : runningCarriers.size > 0 && !runningCarriers.has(carrier)
}

/** When the account's calls per second allow one more. */
export const nextSlot = ({ account, now, placedLastSecond, placedNow }: AccountFacts): DateTime.Utc => {
  const most = Policy.callsPerSecond(Policy.complete(account.policy ?? {}), account.lines)
  const leaving = placedNow >= most ? now : placedLastSecond[placedLastSecond.length + placedNow - most]
  return leaving === undefined ? now : DateTime.addDuration(leaving, Duration.seconds(1))
}

/** The present hold of a waiting call, including a failed rule at its last claim, until the call is examined again. */
export const currentHold = (rules: Pick<DialRules, "holdOf">, call: CallRecord, facts: DialFacts): Hold | undefined =>
  rules.holdOf(call, facts) ??
    (call.statusCode === "rule_failed" && DateTime.isGreaterThan(call.dueAt, facts.now)
      ? { code: "rule_failed" }
      : undefined)

/** The last instant at which the call could be dialed. */
export const beforeExpiry = ({ expiresAt }: Pick<CallState, "expiresAt">): DateTime.Utc =>
  DateTime.subtractDuration(expiresAt, "1 millis")

/** The call's hold just before it expired, by the rules, and all rules that held it. The facts may be of a slightly different instant. */
export const atExpiry = (
  rules: Pick<DialRules, "holdOf" | "timeRules">,
  call: CallRecord,
  facts: DialFacts
): AtExpiry => {
  const now = beforeExpiry(call)
  const then = { ...facts, now }
  // With a later expiry, because the rules would otherwise only report the expiry.
  const waiting = { ...call, expiresAt: DateTime.addDuration(call.expiresAt, Limits.horizon) }
  const heldBy = currentHold(rules, waiting, then)
  const holding: ReadonlyArray<StatusCode> = ["queue_expired", ...holdingRules(rules, waiting, then)]
  return { ...(heldBy !== undefined && { heldBy }), basis: Basis.of(call, then, { holding }) }
}

/** Every rule that does not allow the call now. */
const holdingRules = (
  { timeRules }: Pick<DialRules, "timeRules">,
  call: TimeRules.Candidate,
  facts: DialFacts
): ReadonlyArray<StatusCode> => {
  const { account, deploymentPaused, linesInUse, now, number } = facts
  const all: ReadonlyArray<readonly [code: StatusCode, holds: boolean]> = [
    ["do_not_call", number.doNotCall],
    ["account_paused", account.paused || deploymentPaused],
    ["carrier_paused", isCarrierPaused(call, facts)],
    ["carrier_missing", isCarrierMissing(call, facts)],
    ["policy_unreadable", account.policy === undefined],
    ...timeRules(call, facts).map(({ code, holds, nextAllowed }) =>
      [
        holds === "account" ? "daily_limit" : code,
        nextAllowed(now)?.epochMilliseconds !== now.epochMilliseconds
      ] as const
    ),
    ["number_busy", number.isBusy],
    ["calls_per_second", DateTime.isGreaterThan(nextSlot(facts), now)],
    ["lines_busy", linesInUse >= account.lines]
  ]
  return all.flatMap(([code, holds]) => holds ? [code] : [])
}
