/**
 * The rules about time that one call has to pass, each with what it is decided from. Reads a policy once for all calls that
 * are judged by it; asks for local time and nothing else.
 */
import { DateTime } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import type { AgentId } from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import * as Policy from "../domain/Policy.ts"
import type { StatusCode } from "../domain/StatusCode.ts"
import * as CallingDays from "./CallingDays.ts"
import * as CallingHours from "./CallingHours.ts"
import * as DailyLimit from "./DailyLimit.ts"
import type { DialFacts } from "./DialFacts.ts"
import * as NumberLimits from "./NumberLimits.ts"
import * as RecallGap from "./RecallGap.ts"
import type { TimeRule } from "./Timetable.ts"
import type { ZoneOffsets } from "./ZoneOffset.ts"

/** What waits to be dialed, as far as the rules look at it. */
export type Candidate = Pick<CallRecord, "agentId" | "lane" | "expiresAt" | "notBefore" | "unavailableCount">

/** A rule about time, for one call. */
export interface Rule extends TimeRule<StatusCode> {
  /** What it is decided from. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Where the callee may be, and by which agent's rules it is called. */
export interface Callee {
  readonly timeZones: ReadonlyArray<string>
  readonly agentId?: AgentId
}

export const make = (offset: ZoneOffsets) => {
  // Let go with the facts that the policy came with.
  const read = new WeakMap<Policy.PolicyDocument, Map<string, CallingDays.CallingDays>>()

  const daysFor = (document: Policy.PolicyDocument, agentId: AgentId | undefined): CallingDays.CallingDays => {
    const key = (agentId !== undefined && document.agents?.[agentId] !== undefined && agentId) || ""
    const days = read.get(document) ?? new Map<string, CallingDays.CallingDays>()
    read.set(document, days)
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
    const data = { timeZones: callee.timeZones, fallbackTimeZone: document.fallbackTimeZone }
    switch (hours) {
      case "unknown":
        return { code: "unknown_time_zone", data, nextAllowed: () => undefined }
      case "any_time":
        return { code: "outside_calling_hours", data, nextAllowed: (at) => at }
      default:
        return { code: "outside_calling_hours", data, nextAllowed: (at) => CallingHours.nextOpen(hours, at) }
    }
  }

  return {
    callingHours,
    hoursRule,

    /** All of them, in the order in which ties are told. */
    of: (call: Candidate, facts: DialFacts, document: Policy.PolicyDocument): ReadonlyArray<Rule> => {
      const policy = Policy.complete(document)
      const { dailyLimit, numberLimits, timeZone } = policy
      const { recallGapSeconds } = Policy.forAgent(policy, call.agentId)
      const { now, number: { dials }, placedToday } = facts
      const [lastDialAt] = dials
      const { notBefore } = call
      return [
        hoursRule(document, { ...Lane.parts(call.lane), agentId: call.agentId }, now),
        {
          code: "recall_gap",
          data: { recallGapSeconds, lastDialAt },
          nextAllowed: (at) => RecallGap.nextAllowed(recallGapSeconds, lastDialAt, at)
        },
        {
          code: "number_limit",
          data: { numberLimits, dials },
          nextAllowed: (at) => NumberLimits.nextAllowed(numberLimits, dials, at)
        },
        {
          code: "daily_limit",
          data: { dailyLimit, placedToday, timeZone },
          nextAllowed: (at) =>
            DailyLimit.nextAllowed({ limit: dailyLimit, placedToday, zone: timeZone, offset }, now, at)
        },
        {
          code: call.unavailableCount > 0 ? "carrier_unavailable" : "not_before",
          data: { notBefore },
          nextAllowed: (at) => notBefore === undefined ? at : DateTime.max(at, notBefore)
        }
      ]
    }
  }
}
