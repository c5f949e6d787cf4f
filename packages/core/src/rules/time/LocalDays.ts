/**
 * When the calendar dates of a zone begin and end. A day starts at its first instant, which is not always midnight. A
 * date that occurs twice starts with the first occurrence, and a date that a zone skipped is empty.
 */
import { DateTime } from "effect"
import * as LocalDate from "./LocalDate.ts"
import type { ZoneOffsets } from "./ZoneOffset.ts"

/** The date that the zone has at that instant; `undefined` when the zone is not known. */
export const dateIn = (zone: string, at: DateTime.Utc, offset: ZoneOffsets): number | undefined => {
  const current = offset(zone, at.epochMilliseconds)
  return current === undefined ? undefined : LocalDate.at(at.epochMilliseconds + current.offsetMs)
}

/** The first instant from `from` on at which the wall clock shows this date or a later one. */
export const firstReaching = (
  date: number,
  { from, offset, zone }: { readonly zone: string; readonly offset: ZoneOffsets; readonly from: number }
): DateTime.Utc | undefined => {
  const midnight = LocalDate.midnight(date)
  let at = from
  for (;;) {
    const current = offset(zone, at)
    if (current === undefined) return undefined
    const reached = Math.max(at, midnight - current.offsetMs)
    if (reached < current.until) return DateTime.makeUnsafe(reached)
    at = current.until
  }
}

/** A calendar date, and the instants that belong to it: from the first on, and before the second. */
export interface LocalDay {
  /** Such as `2026-12-25`. */
  readonly day: string
  readonly from: DateTime.Utc
  readonly until: DateTime.Utc
}

/** The day of that date; `undefined` when the zone is not known. */
export const dayOf = (date: number, zone: string, offset: ZoneOffsets): LocalDay | undefined => {
  // No zone is further than a day from UTC, and a date that occurs twice lasts two days.
  const earlier = LocalDate.midnight(date) - 3 * LocalDate.lengthMs
  const from = firstReaching(date, { zone, offset, from: earlier })
  const until = firstReaching(date + 1, { zone, offset, from: earlier })
  return from === undefined || until === undefined ? undefined : { day: LocalDate.text(date), from, until }
}
