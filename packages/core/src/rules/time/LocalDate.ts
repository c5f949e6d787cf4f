/**
 * Calendar dates as whole days since 1970-01-01, by the wall clock of any zone. Wall time is UTC plus the zone's
 * offset, in milliseconds; every day has 24 hours of wall time, including hours that a clock change skips or repeats.
 */
import { DateTime } from "effect"

/** Length of a day of wall time, in milliseconds. */
export const lengthMs = 86_400_000

/** The date that the wall clock shows. */
export const at = (wall: number): number => Math.floor(wall / lengthMs)

/** Midnight at the start of the date, as wall time. */
export const midnight = (date: number): number => date * lengthMs

/** The weekday of a date: 0 is Monday, 6 is Sunday. */
export const weekday = (date: number): number => {
  // 1970-01-01 was a Thursday, and dates before it are negative.
  const day = (date + 3) % 7
  return day < 0 ? day + 7 : day
}

/** The date of a text such as `2026-12-25`. Throws when there is none, which no validated policy has. */
export const parseUnsafe = (text: string): number => at(DateTime.makeUnsafe(`${text}T00:00:00Z`).epochMilliseconds)

/** The date as text, such as `2026-12-25`. */
export const text = (date: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(midnight(date)))
