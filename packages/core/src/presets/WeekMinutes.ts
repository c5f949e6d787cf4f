/**
 * Calling hours as the set of the minutes of a week in which a phone may ring, to compare and to join them. Knows no dates:
 * which of them are excluded is seen by the day on which a window starts.
 */
import type { CallingHours, CallingWindow } from "../domain/Policy.ts"
import * as Limits from "../domain/Limits.ts"

/** In the order of a week, with their names. */
export const weekdays = [
  ["mon", "Monday"],
  ["tue", "Tuesday"],
  ["wed", "Wednesday"],
  ["thu", "Thursday"],
  ["fri", "Friday"],
  ["sat", "Saturday"],
  ["sun", "Sunday"]
] as const

const minutesPerDay = 24 * 60
const minutesPerWeek = weekdays.length * minutesPerDay

/** `open`: by a window of the same day. `late`: only by a window of the day before, and closed when that day is excluded. */
type Minute = 0 | typeof open | typeof late
const open = 1
const late = 2

/** One entry per minute from Monday 00:00. */
export type WeekMinutes = ReadonlyArray<Minute>

/** A range of minutes after the midnight at which a day begins; minutes beyond 24 hours are on the next day. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The minutes of a window. A window that does not end after its start ends on the next day. */
export const spanOf = ({ end, start }: CallingWindow): Span => {
  const from = minuteOf(start)
  const to = minuteOf(end)
  return { from, to: to > from ? to : to + minutesPerDay }
}

/** The minutes in which the hours are open; `null` is all of them. */
export const of = (hours: CallingHours | null): WeekMinutes => {
  const week = Array.from<Minute>({ length: minutesPerWeek }).fill(hours === null ? open : 0)
  for (const [index, [day]] of weekdays.entries()) {
    for (const window of hours?.[day] ?? []) {
      const { from, to } = spanOf(window)
      for (let minute = from; minute < to; minute++) {
        const at = (index * minutesPerDay + minute) % minutesPerWeek
        if (minute < minutesPerDay) week[at] = open
        else week[at] ||= late
      }
    }
  }
  return week
}

/** Whether there is no minute in which a phone may ring. */
export const isEmpty = (week: WeekMinutes): boolean => week.every((minute) => minute === 0)

/** The parts of a window of a weekday (0 is Monday) that lie outside. */
export const outside = (week: WeekMinutes, weekday: number, window: CallingWindow): ReadonlyArray<Span> => {
  const { from, to } = spanOf(window)
  return runs({ from, to }, (minute) => week[(weekday * minutesPerDay + minute) % minutesPerWeek] === 0)
}

/**
 * Hours that are open only when both are, whatever dates are excluded. For that, minutes past midnight belong to the evening before. If
 * both are open past midnight but not at the end of that evening, those minutes are left out. So are windows beyond the maximum of a day.
 */
export const inBoth = (one: CallingHours | null, other: CallingHours | null): CallingHours => {
  const [first, second] = [of(one), of(other)]
  const both = first.map((minute, at): Minute => {
    const its = second[at] ?? 0
    return minute === 0 || its === 0 ? 0 : minute === late || its === late ? late : open
  })
  return Object.fromEntries(weekdays.flatMap(([day], index) => {
    const windows = windowsOf(both, index).slice(0, Limits.windowsPerDay)
    return windows.length === 0 ? [] : [[day, windows]]
  }))
}

const windowsOf = (week: WeekMinutes, weekday: number): ReadonlyArray<CallingWindow> => {
  const at = (minute: number) => week[(weekday * minutesPerDay + minute) % minutesPerWeek]
  const [afterMidnight] = runs({ from: minutesPerDay, to: 2 * minutesPerDay }, (minute) => at(minute) === late)
  const past = afterMidnight?.from === minutesPerDay ? afterMidnight.to - minutesPerDay : 0
  return runs({ from: 0, to: minutesPerDay }, (minute) => at(minute) === open).map(({ from, to }) => {
    // A window is at most a day long.
    const end = to === minutesPerDay ? Math.min(past, from) : 0
    return { start: timeOf(from), end: timeOf(end > 0 ? end : to) }
  })
}

/** The longest stretches of minutes that are so. */
const runs = ({ from, to }: Span, is: (minute: number) => boolean): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let minute = from; minute < to; minute++) {
    if (!is(minute)) continue
    const start = minute
    while (minute < to && is(minute)) minute++
    found.push({ from: start, to: minute })
  }
  return found
}

/** Times of one weekday; the end may be 24:00. */
export interface DayTimes {
  readonly day: (typeof weekdays)[number][0]
  readonly start: string
  readonly end: string
}

/** The span as times of days; the part past midnight belongs to the next day. */
export const timesOf = (weekday: number, { from, to }: Span): ReadonlyArray<DayTimes> => {
  if (from >= minutesPerDay) return timesOf(weekday + 1, { from: from - minutesPerDay, to: to - minutesPerDay })
  if (to > minutesPerDay) {
    return [...timesOf(weekday, { from, to: minutesPerDay }), ...timesOf(weekday, { from: minutesPerDay, to })]
  }
  const [day] = weekdays[weekday % weekdays.length] ?? weekdays[0]
  return [{ day, start: timeOf(from), end: timeOf(to) }]
}

/** As text: `Monday 20:00-24:00`. */
export const describe = (times: ReadonlyArray<DayTimes>): string =>
  times.map(({ day, end, start }) => `${names.get(day)} ${start}-${end}`).join(", ")

const names: ReadonlyMap<string, string> = new Map(weekdays)

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const timeOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
