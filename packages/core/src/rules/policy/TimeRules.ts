/**
 * The rules about time that one call has to pass, each with what it is decided from. Reads a policy once for all calls that
 * are judged by it; asks for local time and nothing else.
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

/** What waits to be dialed, as far as the rules look at it. */
export type Candidate = Pick<
  CallRecord,
  "agentId" | "phoneNumber" | "lane" | "expiresAt" | "notBefore" | "unavailableCount"
>

/** A rule about time, for one call. */
export interface Rule extends TimeRule<StatusCode> {
  /** What it holds together: this call alone, all calls of its lane, or all of the account. */
  readonly holds: "call" | "lane" | "account"
  /** What it is decided from. */
  readonly data: Readonly<Record<string, unknown>>
  /** Why it forbids for good, where a request can be told more than the code says. */
  readonly why?: string
}

/** What the rules look up. */
export interface RuleContext {
  /** The clocks of time zones. */
  readonly offset: ZoneOffsets
  /** The one country that a number belongs to, and whether its numbering plan has such a range. */
  readonly originOf: (phoneNumber: CallRecord["phoneNumber"]) => Origin
}

export interface Origin {
  /** Two-letter code (ISO 3166); absent for numbers of several countries or none. */
  readonly country?: string
  readonly isValid: boolean
}

/** Where the callee may be, and by which agent's rules it is called. */
export interface Callee {
  readonly timeZones: ReadonlyArray<string>
  readonly agentId?: AgentId
}

export const make = ({ offset, originOf }: RuleContext) => {
  // Let go with the facts that the policy came with.
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

  /** The callee's calling hours; `unknown` while it would matter where the callee is and nobody knows. */
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

  /** Whether the policy wants the number at all; asked only where it is choosy. */
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

    /** All of them, in the order in which ties are told. */
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
  return requireValidNumbers && !isValid ? "is in no range of numbers that is known to be in use" : undefined
}
