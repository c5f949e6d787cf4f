/** The facts that a decision was made from, and the verdict of every rule by them. Computed while the rules decide; read much later. */
import { DateTime } from "effect"
import type { CallRecord } from "../../domain/Call.ts"
import type { DecisionBasis } from "../../domain/DecisionBasis.ts"
import type { Verdict } from "../../domain/Explanation.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Policy from "../../domain/Policy.ts"
import type { StatusCode } from "../../domain/StatusCode.ts"
import type { DialFacts } from "./DialFacts.ts"
import type { Candidate } from "./TimeRules.ts"

/** Newer dials say enough, and a number has seldom more. */
const newestDials = 5

/** The basis of a decision by these facts. */
export const of = (
  { agentId }: Pick<Candidate, "agentId">,
  { account, linesInUse, now, number: { dials }, placedLastSecond, placedNow, placedToday }: DialFacts,
  { closesAt, holding = [] }: {
    readonly closesAt?: DateTime.Utc | undefined
    readonly holding?: ReadonlyArray<StatusCode>
  } = {}
): DecisionBasis => {
  const policy = Policy.complete(account.policy ?? {})
  const { recallGapSeconds } = Policy.forAgent(policy, agentId)
  const { dailyLimit, numberLimits } = policy
  const [lastDialAt] = dials
  return {
    at: DateTime.formatIso(now),
    ...(holding.length > 0 && { holding }),
    lines: account.lines,
    linesInUse,
    callsPerSecond: Policy.callsPerSecond(policy, account.lines),
    placedLastSecond: placedLastSecond.length + placedNow,
    ...(closesAt !== undefined && { closesAt: DateTime.formatIso(closesAt) }),
    ...(recallGapSeconds > 0 && { recallGapSeconds }),
    ...(lastDialAt !== undefined && { lastDialAt: DateTime.formatIso(lastDialAt) }),
    ...(numberLimits.length > 0 && lastDialAt !== undefined && {
      numberLimits,
      dials: dials.slice(0, newestDials).map(DateTime.formatIso)
    }),
    ...(dailyLimit !== null && { dailyLimit, placedToday })
  }
}

/** Every rule, in order of evaluation, as it was applied to the call. */
export const verdicts = (
  { expiresAt, lane, notBefore, unavailableCount }: Pick<
    CallRecord,
    "expiresAt" | "lane" | "notBefore" | "unavailableCount"
  >,
  basis: DecisionBasis
): ReadonlyArray<Verdict> => {
  const { holding = [] } = basis
  const verdict = (rule: StatusCode, data: Verdict["data"] = {}): Verdict => ({
    rule,
    allows: !holding.includes(rule),
    data
  })
  const { timeZones } = Lane.parts(lane)
  const hours = holding.find((code) => code === "unknown_time_zone" || code === "rule_failed")
  return [
    verdict("queue_expired", { expires_at: DateTime.formatIso(expiresAt) }),
    verdict("do_not_call"),
    verdict("account_paused"),
    verdict("carrier_paused"),
    verdict("carrier_missing"),
    verdict("policy_unreadable"),
    verdict("number_not_allowed"),
    verdict(hours ?? "outside_calling_hours", {
      time_zones: timeZones,
      ...(basis.closesAt !== undefined && { open_until: basis.closesAt })
    }),
    verdict("recall_gap", {
      ...(basis.recallGapSeconds !== undefined && { recall_gap_seconds: basis.recallGapSeconds }),
      ...(basis.lastDialAt !== undefined && { last_dial_at: basis.lastDialAt })
    }),
    verdict("number_limit", {
      ...(basis.numberLimits !== undefined && {
        number_limits: basis.numberLimits.map(({ max, windowSeconds }) => ({ max, window_seconds: windowSeconds }))
      }),
      ...(basis.dials !== undefined && { dials: basis.dials })
    }),
    verdict("daily_limit", {
      ...(basis.dailyLimit !== undefined && { daily_limit: basis.dailyLimit, placed_today: basis.placedToday ?? 0 })
    }),
    verdict(unavailableCount > 0 ? "carrier_unavailable" : "not_before", {
      ...(notBefore !== undefined && { not_before: DateTime.formatIso(notBefore) })
    }),
    verdict("number_busy"),
    verdict("calls_per_second", {
      calls_per_second: basis.callsPerSecond,
      placed_last_second: basis.placedLastSecond
    }),
    verdict("lines_busy", { lines: basis.lines, lines_in_use: basis.linesInUse })
  ]
}
