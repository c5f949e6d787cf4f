/**
 * How many calls an account may place on one calendar date of its own zone. A day starts at its first instant, which is
 * not always midnight. A date that occurs twice starts with the first occurrence.
 */
import { DateTime } from "effect"
import * as LocalDate from "../time/LocalDate.ts"
import { dateIn, firstReaching } from "../time/LocalDays.ts"
import type { ZoneOffsets } from "../time/ZoneOffset.ts"

/** The facts about the account's day. */
export interface DailyLimit {
  /** `null` is any number. */
  readonly limit: number | null
  /** Calls placed since the start of the day. */
  readonly placedToday: number
  readonly zone: string
  readonly offset: ZoneOffsets
}

/**
 * The first instant, `at` or later, at which the account may place a call: `at` while today's limit has room, otherwise no earlier than
 * the day after `now`. Later days count as empty. `undefined` when the limit is 0 or the zone is unknown.
 */
export const nextAllowed = (
  { limit, offset, placedToday, zone }: DailyLimit,
  now: DateTime.Utc,
  at: DateTime.Utc
): DateTime.Utc | undefined => {
  if (limit === null) return at
  const today = dateIn(zone, now, offset)
  if (limit <= 0 || today === undefined) return undefined
  if (placedToday < limit) return at
  const tomorrow = firstReaching(today + 1, { zone, offset, from: now.epochMilliseconds })
  return tomorrow === undefined ? undefined : DateTime.max(at, tomorrow)
}

/** The first instant of the calendar date that the zone has at `now`; `undefined` when the zone is not known. */
export const dayStart = (zone: string, now: DateTime.Utc, offset: ZoneOffsets): DateTime.Utc | undefined => {
  const today = dateIn(zone, now, offset)
  if (today === undefined) return undefined
  // A date that occurs twice lasts two days, so that three days earlier is an earlier date.
  return firstReaching(today, { zone, offset, from: now.epochMilliseconds - 3 * LocalDate.lengthMs })
}
