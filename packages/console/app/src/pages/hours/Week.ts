/** The windows of calling hours, in minutes. An end after 24:00 (1,440) is on the next day; the policy writes it as a time not after the start. */
import type { Policy } from "../../data/Wire.ts"

export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
export type Day = (typeof days)[number]

export type CallingHours = NonNullable<Policy["calling_hours"]>

export interface Window {
  /** 0 to 1,439. */
  readonly start: number
  /** After the start, by at most a day. */
  readonly end: number
}

export const dayMinutes = 1_440
/** A step of the pointer and of the arrow keys. */
export const step = 15
/** As a policy has at most. */
export const mostWindows = 10

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}

/** 24:00 is the end of the day; later times are those of the next day. */
export const timeOf = (minutes: number): string => {
  const shown = minutes > dayMinutes ? minutes - dayMinutes : minutes
  return `${String(Math.floor(shown / 60)).padStart(2, "0")}:${String(shown % 60).padStart(2, "0")}`
}

export const windowsOf = (hours: CallingHours, day: Day): ReadonlyArray<Window> =>
  (hours[day] ?? []).map(({ end, start }) => {
    const [from, to] = [minutesOf(start), minutesOf(end)]
    return { start: from, end: to > from ? to : to + dayMinutes }
  })

export interface Span {
  readonly first: Day
  readonly last: Day
  readonly windows: ReadonlyArray<Window>
}

/** The week in words: days that follow each other and have the same windows are one span. Closed days are left out. */
export const spansOf = (hours: CallingHours): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let last: Day | undefined
  for (const day of days) {
    const windows = windowsOf(hours, day)
    const before = spans.at(-1)
    if (windows.length > 0) {
      const isSame = before !== undefined && before.last === last &&
        JSON.stringify(before.windows) === JSON.stringify(windows)
      if (isSame) spans[spans.length - 1] = { ...before, last: day }
      else spans.push({ first: day, last: day, windows })
    }
    last = day
  }
  return spans
}

/** The hours with other windows of the day. A day without windows is closed, and is left out. */
export const withWindows = (hours: CallingHours, day: Day, windows: ReadonlyArray<Window>): CallingHours => {
  const { [day]: _, ...others } = hours
  const written = windows.map(({ end, start }) => ({ start: timeOf(start), end: timeOf(end) }))
  const all: CallingHours = written.length === 0 ? others : { ...others, [day]: written }
  // In the order of the week, however it was written.
  return Object.fromEntries(days.flatMap((name) => all[name] === undefined ? [] : [[name, all[name]]]))
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

export const snapped = (minutes: number): number => Math.round(minutes / step) * step

export const withStart = ({ end, start: _ }: Window, start: number): Window => {
  const least = Math.max(0, end - dayMinutes)
  return { start: within(start, least, Math.min(dayMinutes - 1, end - 1)), end }
}

export const withEnd = ({ start }: Window, end: number): Window => ({
  start,
  end: within(end, start + 1, start + dayMinutes)
})

/** The window begins elsewhere on its day, and stays as long. */
export const moved = ({ end, start }: Window, to: number): Window => {
  const length = end - start
  const from = within(to, 0, Math.max(0, end > dayMinutes ? dayMinutes - 1 : dayMinutes - length))
  return { start: from, end: from + length }
}

/** In their order; those that touch or overlap become one. */
export const merged = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> => {
  const result: Array<Window> = []
  for (const { end, start } of windows.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1)
    if (last === undefined || start > last.end) result.push({ start, end })
    else {result[result.length - 1] = {
        start: last.start,
        end: Math.min(Math.max(last.end, end), last.start + dayMinutes)
      }}
  }
  return result
}

/** A window for a day: the first hours between 09:00 and 17:00 that no other window takes, else what is left of the day. */
export const added = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> => {
  if (windows.length === 0) return [{ start: 540, end: 1_020 }]
  const last = windows.reduce((latest, { end }) => Math.max(latest, end), 0)
  if (last + 30 < dayMinutes) {
    const start = Math.ceil((last + 30) / step) * step
    if (start < dayMinutes) return merged([...windows, { start, end: Math.min(dayMinutes, start + 120) }])
  }
  const first = windows.reduce((earliest, { start }) => Math.min(earliest, start), dayMinutes)
  return first >= 60 ? merged([{ start: 0, end: first - 30 }, ...windows]) : windows
}
