/**
 * When a phone may ring by the wall clock of its zone, or of every zone it may be in. Each instant is converted to wall
 * time and looked up, so that nights with clock changes and skipped dates have one answer. Between two changes of the
 * offset, wall time is linear, so that nothing is searched minute by minute.
 */
import { DateTime, Duration } from "effect"
import * as Limits from "../../domain/Limits.ts"
import type { CallingDays } from "./CallingDays.ts"
import * as LocalDate from "../time/LocalDate.ts"
import type { ZoneOffsets } from "../time/ZoneOffset.ts"

/** The calling hours of one callee. */
export interface CallingHours {
  readonly days: CallingDays
  /** Every zone the callee may be in; all of them have to be open. Without any, nothing is open. */
  readonly zones: ReadonlyArray<string>
  readonly offset: ZoneOffsets
}

/** The unknown zones. While there is one, nothing is open. */
export const unknownZones = ({ offset, zones }: CallingHours, at: DateTime.Utc): ReadonlyArray<string> =>
  zones.filter((zone) => offset(zone, at.epochMilliseconds) === undefined)

/** Whether every zone is open at this instant. */
export const isOpen = (hours: CallingHours, at: DateTime.Utc): boolean =>
  hours.zones.length > 0 && hours.zones.every((zone) => isOpenIn(hours, zone, at.epochMilliseconds))

/** The first instant, `at` or later, at which every zone is open; `undefined` when there is none within the horizon. */
export const nextOpen = (hours: CallingHours, at: DateTime.Utc): DateTime.Utc | undefined => {
  const { days, zones } = hours
  if (days.never || zones.length === 0) return undefined
  const last = at.epochMilliseconds + horizon
  let candidate = at.epochMilliseconds
  for (let agreed = 0, index = 0; agreed < zones.length; index = (index + 1) % zones.length) {
    const next = nextOpenIn(hours, { zone: zones[index] ?? "", from: candidate, last })
    if (next === undefined) return undefined
    agreed = next === candidate ? agreed + 1 : 1
    candidate = next
  }
  return DateTime.makeUnsafe(candidate)
}

/** The first instant, `at` or later, at which some zone is closed; `undefined` when there is none within the horizon. */
export const closesAt = (hours: CallingHours, at: DateTime.Utc): DateTime.Utc | undefined => {
  if (hours.zones.length === 0) return at
  const last = at.epochMilliseconds + horizon
  const first = Math.min(...hours.zones.map((zone) => closesIn(hours, { zone, from: at.epochMilliseconds, last })))
  return first > last ? undefined : DateTime.makeUnsafe(first)
}

const horizon = Duration.toMillis(Limits.horizon)

interface Search {
  readonly zone: string
  readonly from: number
  /** The last instant that counts. */
  readonly last: number
}

/** Until when the zone stays open without a change of its offset; `undefined` when it is closed or not known. */
const openUntil = ({ days, offset }: CallingHours, zone: string, at: number): number | undefined => {
  const current = offset(zone, at)
  if (current === undefined) return undefined
  const wall = at + current.offsetMs
  const date = LocalDate.at(wall)
  const time = wall - LocalDate.midnight(date)
  const span = days.spans(date).find(({ end, start }) => start <= time && time < end)
  return span === undefined ? undefined : Math.min(current.until, at + span.end - time)
}

const isOpenIn = (hours: CallingHours, zone: string, at: number): boolean => openUntil(hours, zone, at) !== undefined

const nextOpenIn = ({ days, offset }: CallingHours, { from, last, zone }: Search): number | undefined => {
  let at = from
  while (at <= last) {
    const current = offset(zone, at)
    if (current === undefined) return undefined
    const { offsetMs, until } = current
    const wall = at + offsetMs
    const lastDate = LocalDate.at(Math.min(until - 1, last) + offsetMs)
    for (let date = LocalDate.at(wall); date <= lastDate; date++) {
      const midnight = LocalDate.midnight(date)
      for (const { end, start } of days.spans(date)) {
        if (midnight + end <= wall) continue
        const opens = Math.max(wall, midnight + start) - offsetMs
        if (opens < until) return opens <= last ? opens : undefined
      }
    }
    at = until
  }
  return undefined
}

/** The first closed instant; one after `last` when there is none. */
const closesIn = (hours: CallingHours, { from, last, zone }: Search): number => {
  let at = from
  while (at <= last) {
    const until = openUntil(hours, zone, at)
    if (until === undefined) return at
    at = until
  }
  return at
}
