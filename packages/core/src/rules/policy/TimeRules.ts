/**
 * The rules about time for one call, each with the data of its decision. Reads a policy once for all calls that it
 * applies to. Looks up local time and nothing else.
 */
import { DateTime } from "effect"
import type { CallRecord } from "../../domain/Call.ts"
import type { AgentId } from "../../domain/Ids.ts"
import * as Lane from "../../domain/Lane.ts"
import * as Policy from "../../domain/Policy.ts"
import type { StatusCode } from "../../domain/StatusCode.ts"
import * as CallingDays from "./CallingDays.ts"
import * as CallingHours from "./CallingHours.ts"
import * as DailyLimit from "./DailyLimit.ts"
import type { DialFacts } from "./DialFacts.ts"
import * as NumberLimits from "./NumberLimits.ts"
import * as RecallGap from "./RecallGap.ts"
import type { TimeRule } from "./Timetable.ts"
import type { ZoneOffsets } from "../time/ZoneOffset.ts"

/** The fields of a waiting call that the rules read. */
export type Candidate = Pick<
  CallRecord,
  "agentId" | "phoneNumber" | "lane" | "expiresAt" | "notBefore" | "unavailableCount"
>

/** A rule about time, for one call. */
export interface Rule extends TimeRule<StatusCode> {
  /** What the rule holds: this call alone, all calls of its lane, or all of the account. */
  readonly holds: "call" | "lane" | "account"
  /** The data of its decision. */
  readonly data: Readonly<Record<string, unknown>>
  /** Why it forbids the call for good, for a message with more detail than the code. */
  readonly why?: string
}

/** What the rules look up. */
export interface RuleContext {
  /** The clocks of time zones. */
  readonly offset: ZoneOffsets
  /** The one country of a number, and whether its numbering plan has such a range. */
  readonly originOf: (phoneNumber: CallRecord["phoneNumber"]) => Origin
}

export interface Origin {
  /** Two-letter code (ISO 3166); absent for numbers of several countries or none. */
  readonly country?: string
  readonly isValid: boolean
}

/** The zones of the callee, and the agent whose rules apply. */
export interface Callee {
  readonly timeZones: ReadonlyArray<string>
  readonly agentId?: AgentId
}

export const make = ({ offset, originOf }: RuleContext) => {
  // Cached as long as the facts with the policy are in use.
  const daysByPolicy = new WeakMap<Policy.PolicyDocument, Map<string, CallingDays.CallingDays>>()

  const daysFor = (document: Policy.PolicyDocument, agentId: AgentId | undefined): CallingDays.CallingDays => {
    const key = (agentId !== undefined && document.agents?.[agentId] !== undefined && agentId) || ""
    const days = daysByPolicy.get(document) ?? new Map<string, CallingDays.CallingDays>()
    daysByPolicy.set(document, days)
    const { callingHours, excludedDates } = Policy.forAgent(Policy.complete(document), agentId)
    const made = days.get(key) ?? CallingDays.make({ hours: callingHours, excludedDates })
    days.set(key, made)
    return made
  }

  /** The callee's calling hours; `unknown` if they depend on a zone that is not known. */
  const callingHours = (
    document: Policy.PolicyDocument,
    { agentId, timeZones }: Callee,
    now: DateTime.Utc
  ): CallingHours.CallingHours | "any_time" | "unknown" => {
    const days = daysFor(document, agentId)
    if (days.anyTime) return "any_time"
    const fallback = document.fallbackTimeZone === undefined ? [] : [document.fallbackTimeZone]
    const hours = { days, zones: timeZones.length > 0 ? timeZones : fallback, offset }
    return hours.zones.length === 0 || CallingHours.unknownZones(hours, now).length > 0 ? "unknown" : hours
  }

  const hoursRule = (document: Policy.PolicyDocument, callee: Callee, now: DateTime.Utc): Rule => {
    const hours = callingHours(document, callee, now)
    const { agentId, timeZones } = callee
    const policy = Policy.forAgent(Policy.complete(document), agentId)
    const rule = {
      code: "outside_calling_hours",
      holds: "lane",
      data: {
        timeZones,
        fallbackTimeZone: document.fallbackTimeZone,
        callingHours: policy.callingHours,
        excludedDates: policy.excludedDates,
        agentPolicy: agentId !== undefined && document.agents?.[agentId] !== undefined
      }
    } as const
    if (timeZones.includes(Lane.failed)) return { ...rule, code: "rule_failed", nextAllowed: () => undefined }
    switch (hours) {
      case "unknown":
        return { ...rule, code: "unknown_time_zone", nextAllowed: () => undefined }
      case "any_time":
        return { ...rule, nextAllowed: (at) => at }
      default:
        return { ...rule, nextAllowed: (at) => CallingHours.nextOpen(hours, at) }
    }
  }

  /** Whether the policy allows the number at all. Looked up only if the policy restricts numbers. */
  const numberRule = (policy: Policy.Policy, { phoneNumber }: Candidate): Rule => {
    const { allowedCountries, requireValidNumbers } = policy
    const isRestricted = allowedCountries !== undefined || requireValidNumbers
    const origin = isRestricted ? originOf(phoneNumber) : undefined
    const why = origin && unwanted(origin, policy)
    return {
      code: "number_not_allowed",
      holds: "call",
      data: { allowedCountries, requireValidNumbers, ...origin },
      nextAllowed: (at) => why === undefined ? at : undefined,
      ...(why !== undefined && { why })
    }
  }

  const dailyRule = ({ dailyLimit, timeZone }: Policy.Policy, { now, placedToday }: DialFacts): Rule => {
    const rule = { holds: "account", data: { dailyLimit, placedToday, timeZone } } as const
    if (dailyLimit !== null && offset(timeZone, now.epochMilliseconds) === undefined) {
      return { ...rule, code: "unknown_time_zone", nextAllowed: () => undefined }
    }
    return {
      ...rule,
      code: "daily_limit",
      nextAllowed: (at) => DailyLimit.nextAllowed({ limit: dailyLimit, placedToday, zone: timeZone, offset }, now, at)
    }
  }

  return {
    callingHours,
    hoursRule,

    /** All rules, in the order in which ties are reported. */
    of: (call: Candidate, facts: DialFacts, document: Policy.PolicyDocument): ReadonlyArray<Rule> => {
      const policy = Policy.complete(document)
      const { numberLimits } = policy
      const { recallGapSeconds } = Policy.forAgent(policy, call.agentId)
      const { now, number: { dials } } = facts
      const [lastDialAt] = dials
      const { notBefore } = call
      return [
        numberRule(policy, call),
        hoursRule(document, { ...Lane.parts(call.lane), agentId: call.agentId }, now),
        {
          code: "recall_gap",
          holds: "call",
          data: { recallGapSeconds, lastDialAt },
          nextAllowed: (at) => RecallGap.nextAllowed(recallGapSeconds, lastDialAt, at)
        },
        {
          code: "number_limit",
          holds: "call",
          data: { numberLimits, dials },
          nextAllowed: (at) => NumberLimits.nextAllowed(numberLimits, dials, at)
        },
        dailyRule(policy, facts),
        {
          code: call.unavailableCount > 0 ? "carrier_unavailable" : "not_before",
          holds: "call",
          data: { notBefore },
          nextAllowed: (at) => notBefore === undefined ? at : DateTime.max(at, notBefore)
        }
      ]
    }
  }
}

const unwanted = (
  { country, isValid }: Origin,
  { allowedCountries, requireValidNumbers }: Policy.Policy
): string | undefined => {
  if (allowedCountries !== undefined && (country === undefined || !allowedCountries.includes(country))) {
    return `is not in a country that your policy allows (${allowedCountries.join(", ")})`
  }
  return requireValidNumbers && !isValid ? "is not in a number range that is in use" : undefined
}
