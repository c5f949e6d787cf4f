/**
 * Warns about unusual rules of a policy, compared with a preset or in general. A finding forbids nothing, and a policy
 * without findings is not necessarily lawful: consent, and other duties that a preset only notes, are not checked.
 */
import { toPointer, wireNames } from "../domain/FieldPath.ts"
import { type AgentPolicy, complete, type NumberLimit, type PolicyDocument } from "../domain/Policy.ts"
import * as HoursLint from "./HoursLint.ts"
import * as LimitComparison from "./LimitComparison.ts"
import { everyDay, type Preset } from "./Preset.ts"
import type { DayTimes } from "./WeekMinutes.ts"

/** What a finding can be about. */
export const findingCodes = [
  "calling_hours_wider",
  "excluded_dates_missing",
  "never_open",
  "no_fallback_time_zone",
  "no_number_limits",
  "no_recall_gap",
  "number_limit_looser",
  "open_at_night",
  "recall_gap_shorter"
] as const

/** The values in the message of a finding, for those who write it in another language. */
export interface FindingData {
  /** The id of the preset. */
  readonly preset?: string
  /** When the phone may ring; empty for any time of any day. */
  readonly times?: ReadonlyArray<DayTimes>
  /** Whether these are the hours of a policy that writes none. */
  readonly default?: boolean
  /** Of the gap, or of the window of a limit. */
  readonly seconds?: number
  /** The gap of the preset, in seconds. */
  readonly least?: number
  /** The dials that a limit allows. */
  readonly max?: number
  /** Of holidays. */
  readonly calendar?: string
}

/** One finding of the lint. */
export interface Finding {
  readonly code: (typeof findingCodes)[number]
  /** `info`: may well be meant so. */
  readonly severity: "warning" | "info"
  /** A JSON Pointer into the document in its form on the wire. The field may be absent from the document. */
  readonly path: string
  /** What is unusual, and what to do about it. */
  readonly message: string
  readonly data: FindingData
}

/** Where the policy allows more than the preset. */
export const lint = (document: PolicyDocument, preset: Preset): ReadonlyArray<Finding> => [
  ...places(document).flatMap((place) => [
    ...wider(place, preset),
    ...shorter(place, preset),
    ...withoutHolidays(place, preset)
  ]),
  ...looser(document, preset)
]

/** What is unusual in any country. */
export const lintGeneral = (document: PolicyDocument): ReadonlyArray<Finding> => [
  ...places(document).flatMap((place) => [...atNight(place), ...withoutGap(place)]),
  ...withoutLimits(document),
  ...withoutFallback(document)
]

/** The account's rules, and the overrides of each agent. */
interface Place {
  readonly path: ReadonlyArray<string>
  readonly written: AgentPolicy
  /** With the defaults for the account's rules; those of an agent are its overrides. */
  readonly rules: AgentPolicy
}

const places = (document: PolicyDocument): ReadonlyArray<Place> => [
  { path: [], written: document, rules: complete(document) },
  ...Object.entries(document.agents ?? {}).map(([id, agent]) => ({
    path: ["agents", id],
    written: agent,
    rules: agent
  }))
]

const wider = ({ path, rules, written }: Place, { id, policy }: Preset): ReadonlyArray<Finding> =>
  HoursLint.outside({ rules, isWritten: written.callingHours !== undefined, allowed: policy.callingHours }).map(
    ({ at, isDefault, times, what }) => ({
      code: "calling_hours_wider",
      severity: "warning",
      path: toPointer(wireNames([...path, ...at])),
      message: `${what}, which the preset ${id} does not allow; leave it out, or apply the preset`,
      data: { preset: id, times, default: isDefault }
    })
  )

const shorter = ({ path, rules }: Place, { id, policy }: Preset): ReadonlyArray<Finding> =>
  policy.recallGapSeconds === undefined || rules.recallGapSeconds === undefined ||
    rules.recallGapSeconds >= policy.recallGapSeconds
    ? []
    : [{
      code: "recall_gap_shorter",
      severity: "warning",
      path: toPointer(wireNames([...path, "recallGapSeconds"])),
      message:
        `The gap is ${rules.recallGapSeconds} seconds, that of the preset ${id} ${policy.recallGapSeconds}; set recall_gap_seconds to ${policy.recallGapSeconds} or more`,
      data: { preset: id, seconds: rules.recallGapSeconds, least: policy.recallGapSeconds }
    }]

const withoutHolidays = ({ path, rules }: Place, { holidays, id }: Preset): ReadonlyArray<Finding> =>
  holidays === undefined || rules.excludedDates === undefined || rules.excludedDates.length > 0
    ? []
    : [{
      code: "excluded_dates_missing",
      severity: "warning",
      path: toPointer(wireNames([...path, "excludedDates"])),
      message:
        `The preset ${id} closes on holidays (calendar ${holidays}), and no date is excluded; add the dates of the holidays to excluded_dates`,
      data: { preset: id, calendar: holidays }
    }]

const looser = (document: PolicyDocument, { id, policy }: Preset): ReadonlyArray<Finding> => {
  const { agents, numberLimits, recallGapSeconds } = complete(document)
  const gap = Math.min(
    recallGapSeconds,
    ...Object.values(agents).map((agent) => agent.recallGapSeconds ?? recallGapSeconds)
  )
  const kept = [...numberLimits, ...LimitComparison.ofGap(gap)]
  return (policy.numberLimits ?? []).filter((limit) => !kept.some((one) => LimitComparison.implies(one, limit)))
    .map((limit) => ({
      code: "number_limit_looser",
      severity: "warning",
      path: "/number_limits",
      message:
        `No limit keeps a number to ${limit.max} dials in ${limit.windowSeconds} seconds, as the preset ${id} does; add ${
          wireOf(limit)
        } to number_limits`,
      data: { preset: id, max: limit.max, seconds: limit.windowSeconds }
    }))
}

const wireOf = ({ max, windowSeconds }: NumberLimit): string => JSON.stringify({ max, window_seconds: windowSeconds })

/** Nobody expects calls from strangers outside these hours. */
const day = everyDay(["07:00", "22:00"])

const atNight = ({ path, rules, written }: Place): ReadonlyArray<Finding> => {
  const findings = HoursLint.outside({ rules, isWritten: written.callingHours !== undefined, allowed: day }).map((
    { at, isDefault, times, what }
  ): Finding => ({
    code: "open_at_night",
    severity: "warning",
    path: toPointer(wireNames([...path, ...at])),
    message:
      `${what}, which is at night for the callee; stay between 07:00 and 22:00 unless the callee has asked for it`,
    data: { times, default: isDefault }
  }))
  return HoursLint.isNeverOpen(rules)
    ? [...findings, {
      code: "never_open",
      severity: "warning",
      path: toPointer(wireNames([...path, "callingHours"])),
      message: "No weekday has a window, so that no call is ever dialed; give at least one weekday a window",
      data: {}
    }]
    : findings
}

const withoutGap = ({ path, rules }: Place): ReadonlyArray<Finding> =>
  rules.recallGapSeconds !== 0 ? [] : [{
    code: "no_recall_gap",
    severity: "warning",
    path: toPointer(wireNames([...path, "recallGapSeconds"])),
    message: "A number may be dialed again at once; set recall_gap_seconds, for example to 14400",
    data: {}
  }]

const withoutLimits = (document: PolicyDocument): ReadonlyArray<Finding> =>
  complete(document).numberLimits.length > 0 ? [] : [{
    code: "no_number_limits",
    severity: "warning",
    path: "/number_limits",
    message:
      "A number may be dialed any number of times; leave number_limits out for the default, or add {\"max\":3,\"window_seconds\":86400}",
    data: {}
  }]

const withoutFallback = ({ fallbackTimeZone }: PolicyDocument): ReadonlyArray<Finding> =>
  fallbackTimeZone !== undefined ? [] : [{
    code: "no_fallback_time_zone",
    severity: "info",
    path: "/fallback_time_zone",
    message:
      "Calls to numbers whose time zone is not known are held; set fallback_time_zone to have them dialed by the hours of a zone of your choice",
    data: {}
  }]
