/**
 * The parts of each calendar date that are open for calls, by the wall clock alone. Made once from a policy and used for any zone. A
 * window belongs to the date on which it starts: if that date is excluded, its part after midnight is closed too.
 */
import type * as Policy from "../../domain/Policy.ts"
import * as LocalDate from "../time/LocalDate.ts"

/** An open part of a day, in milliseconds since its midnight; `end` is the first moment that is closed. */
export interface OpenSpan {
  readonly start: number
  readonly end: number
}

export interface CallingDays {
  /** Open at every instant, so that no zone needs to be known. */
  readonly anyTime: boolean
  /** No instant of any date is open. */
  readonly never: boolean
  /** The open parts of a date, in order, with closed time between any two. */
  readonly spans: (date: number) => ReadonlyArray<OpenSpan>
}

/** Reads the calling hours and excluded dates of a valid policy; `null` hours are always open. */
export const make = (options: {
  readonly hours: Policy.CallingHours | null
  readonly excludedDates: ReadonlyArray<string>
}): CallingDays => {
  const { excludedDates, hours } = options
  const excluded = new Set(excludedDates.map(LocalDate.parseUnsafe))
  const windows = weekdays.map((day) => hours === null ? [wholeDay] : (hours[day] ?? []).map(toSpan))
  const own = windows.map((ofDay) => joined(ofDay.map(beforeMidnight)))
  const withTail = windows.map((ofDay, day) =>
    joined([...(windows[(day + 6) % 7] ?? []).flatMap(afterMidnight), ...ofDay.map(beforeMidnight)])
  )
  return {
    anyTime: hours === null && excluded.size === 0,
    never: withTail.every((ofDay) => ofDay.length === 0),
    spans: (date) => {
      if (excluded.has(date)) return closed
      return (excluded.has(date - 1) ? own : withTail)[LocalDate.weekday(date)] ?? closed
    }
  }
}

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const closed: ReadonlyArray<OpenSpan> = []

const wholeDay: OpenSpan = { start: 0, end: LocalDate.lengthMs }

const timeOfDay = (text: string): number => Number(text.slice(0, 2)) * 3_600_000 + Number(text.slice(3)) * 60_000

/** A window that ends no later than it starts ends on the next day. */
const toSpan = (window: Policy.CallingWindow): OpenSpan => {
  const [start, end] = [timeOfDay(window.start), timeOfDay(window.end)]
  return { start, end: end <= start ? end + LocalDate.lengthMs : end }
}

const beforeMidnight = ({ end, start }: OpenSpan): OpenSpan => ({ start, end: Math.min(end, LocalDate.lengthMs) })

const afterMidnight = ({ end }: OpenSpan): ReadonlyArray<OpenSpan> =>
  end > LocalDate.lengthMs ? [{ start: 0, end: end - LocalDate.lengthMs }] : []

/** The same time in order, with overlapping or touching windows merged. */
const joined = (spans: ReadonlyArray<OpenSpan>): ReadonlyArray<OpenSpan> =>
  spans.toSorted((one, other) => one.start - other.start).reduce<ReadonlyArray<OpenSpan>>((done, span) => {
    const last = done.at(-1)
    return last === undefined || span.start > last.end
      ? [...done, span]
      : [...done.slice(0, -1), { start: last.start, end: Math.max(last.end, span.end) }]
  }, [])
