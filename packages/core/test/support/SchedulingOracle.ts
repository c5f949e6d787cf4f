/**
 * An independent implementation of the rules about time: goes through the instants minute by minute and reads `Intl`
 * for each. Slow, and without any of the code under test.
 */
import type { Policy } from "@outdial/core"

export interface Case {
  readonly zones: ReadonlyArray<string>
  readonly hours: Policy.CallingHours | null
  readonly excludedDates: ReadonlyArray<string>
  readonly gapSeconds: number
  readonly lastDialAt: number | undefined
  readonly limits: ReadonlyArray<Policy.NumberLimit>
  readonly dials: ReadonlyArray<number>
  readonly account: { readonly zone: string; readonly limit: number; readonly placedToday: number } | null
}

export const minute = 60_000

interface Local {
  /** As `2026-12-25`. */
  readonly date: string
  readonly dateBefore: string
  readonly weekday: Weekday
  readonly weekdayBefore: Weekday
  /** As `09:00`. */
  readonly time: string
}

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
type Weekday = typeof weekdays[number]

const formats = new Map<string, Intl.DateTimeFormat>()
const seen = new Map<string, Local>()

/** The wall clock, to the minute. */
export const localTime = (zone: string, at: number): Local => {
  const key = `${zone} ${Math.floor(at / minute)}`
  const known = seen.get(key)
  if (known !== undefined) return known
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit"
  })
  formats.set(zone, format)
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const date = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`
  const before = new Date(Date.parse(date) - 86_400_000)
  const local: Local = {
    date,
    dateBefore: before.toISOString().slice(0, 10),
    weekday: weekdays[new Date(date).getUTCDay()] ?? "sun",
    weekdayBefore: weekdays[before.getUTCDay()] ?? "sun",
    time: `${parts.get("hour")}:${parts.get("minute")}`
  }
  seen.set(key, local)
  return local
}

export const isOpen = ({ excludedDates, hours, zones }: Case, at: number): boolean =>
  zones.every((zone) => {
    const { date, dateBefore, time, weekday, weekdayBefore } = localTime(zone, at)
    if (excludedDates.includes(date)) return false
    if (hours === null) return true
    if ((hours[weekday] ?? []).some(({ end, start }) => start <= time && (end <= start || time < end))) return true
    if (excludedDates.includes(dateBefore)) return false
    return (hours[weekdayBefore] ?? []).some(({ end, start }) => end <= start && time < end)
  })

const gapIsOver = ({ gapSeconds, lastDialAt }: Case, at: number): boolean =>
  lastDialAt === undefined || at - lastDialAt >= gapSeconds * 1000

const limitsLeaveRoom = ({ dials, limits }: Case, at: number): boolean =>
  limits.every(({ max, windowSeconds }) => dials.filter((d) => d > at - windowSeconds * 1000 && d <= at).length < max)

/** Whether the account has calls left, `newDay` when a later date than now's has begun. */
const dayHasRoom = ({ account }: Case, newDay: boolean): boolean =>
  account === null || (account.limit > 0 && (newDay || account.placedToday < account.limit))

/** The rules that forbid a call at this instant. */
export const violated = (one: Case, at: number, newDay: boolean) =>
  ([
    ["calling_hours", isOpen(one, at)],
    ["recall_gap", gapIsOver(one, at)],
    ["number_limit", limitsLeaveRoom(one, at)],
    ["daily_limit", dayHasRoom(one, newDay)]
  ] as const).flatMap(([code, isKept]) => isKept ? [] : [code])

/** The first minute that all rules allow, and what forbade the one before; `undefined` when there is none before `last`. */
export const firstAllowed = (one: Case, now: number, last: number) => {
  const today = one.account === null ? "" : localTime(one.account.zone, now).date
  let newDay = false
  for (let at = now; at <= last; at += minute) {
    const newDayBefore = newDay
    newDay ||= one.account !== null && localTime(one.account.zone, at).date > today
    if (gapIsOver(one, at) && limitsLeaveRoom(one, at) && dayHasRoom(one, newDay) && isOpen(one, at)) {
      return { at, binding: at === now ? [] : violated(one, at - 1, newDayBefore) }
    }
  }
  return undefined
}
