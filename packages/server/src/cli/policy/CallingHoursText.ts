/** Calling hours on one line: `mon-fri 09:00-12:30 and 14:00-20:00; sat 10:00-14:00; sun closed`. */
import type { Policy } from "@outdial/core"

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

/** Consecutive weekdays with the same hours are joined. */
export const text = (hours: Policy.CallingHours | null): string => {
  if (hours === null) return "any time"
  const days = weekdays.map((day) => ({ day, times: timesOf(hours[day] ?? []) }))
  return days.flatMap(({ day, times }, index) => {
    if (days[index - 1]?.times === times) return []
    const after = days.findIndex((other, at) => at > index && other.times !== times)
    const last = days.at((after === -1 ? days.length : after) - 1)?.day ?? day
    return [`${last === day ? day : `${day}-${last}`} ${times}`]
  }).join("; ")
}

const timesOf = (windows: ReadonlyArray<Policy.CallingWindow>): string =>
  windows.length === 0 ? "closed" : windows.map(({ end, start }) => `${start}-${end}`).join(" and ")
