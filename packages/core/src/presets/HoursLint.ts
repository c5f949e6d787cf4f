/** Finds the calling hours outside other calling hours, and describes them. */
import type { AgentPolicy, CallingHours } from "../domain/Policy.ts"
import * as WeekMinutes from "./WeekMinutes.ts"

/** What is outside: with its path below the rules, as the beginning of a sentence. */
export interface Outside {
  readonly at: ReadonlyArray<string | number>
  readonly what: string
  /** When that is; empty for any time of any day. */
  readonly times: ReadonlyArray<WeekMinutes.DayTimes>
  /** Whether the hours are those of a policy that writes none. */
  readonly isDefault: boolean
}

/**
 * The windows that are open when `allowed` is not, one by one. Hours without restriction and default hours are one
 * entry. Rules without calling hours have no entries.
 */
export const outside = (
  { allowed, isWritten, rules: { callingHours } }: {
    readonly rules: AgentPolicy
    readonly isWritten: boolean
    readonly allowed: CallingHours | null
  }
): ReadonlyArray<Outside> => {
  if (callingHours === undefined) return []
  const week = WeekMinutes.of(allowed)
  if (callingHours === null) {
    return week.every((minute) => minute !== 0)
      ? []
      : [{
        at: ["callingHours"],
        what: "The phone may ring at any time of any day",
        times: [],
        isDefault: false
      }]
  }
  const found = WeekMinutes.weekdays.flatMap(([day], weekday) =>
    (callingHours[day] ?? []).flatMap((window, index) => {
      const times = WeekMinutes.outside(week, weekday, window).flatMap((part) => WeekMinutes.timesOf(weekday, part))
      return times.length === 0 ? [] : [{ at: ["callingHours", day, index], times }]
    })
  )
  if (isWritten) {
    return found.map(({ at, times }) => ({
      at,
      what: `The phone may ring on ${WeekMinutes.describe(times)}`,
      times,
      isDefault: false
    }))
  }
  const times = found.flatMap(({ times }) => times)
  return times.length === 0
    ? []
    : [{
      at: ["callingHours"],
      what: `By default the phone may ring on ${WeekMinutes.describe(times)}`,
      times,
      isDefault: true
    }]
}

/** Whether the rules have hours of which none is open. */
export const isNeverOpen = ({ callingHours }: AgentPolicy): boolean =>
  callingHours !== undefined && WeekMinutes.isEmpty(WeekMinutes.of(callingHours))
