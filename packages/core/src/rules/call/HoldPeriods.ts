/**
 * The periods in which many calls were held at once: those of a lane, of an account or of the deployment, in the order of time. They are stored
 * once for all these calls. A call gets copies when it is written: see `HoldHistory`.
 */
import { DateTime } from "effect"
import type { Hold } from "../../domain/Call.ts"
import type { Lane } from "../../domain/Lane.ts"
import * as Limits from "../../domain/Limits.ts"

/** Without `until` it goes on. An `until` in the future is when it ends as planned. */
export interface HoldPeriod extends Hold {
  readonly since: DateTime.Utc
}

export type HoldPeriods = ReadonlyArray<HoldPeriod>

/** All that may have held a call together with others. */
export interface SharedPeriods {
  readonly account: HoldPeriods
  /** The stops of all accounts. */
  readonly deployment: HoldPeriods
  readonly lanes: ReadonlyMap<Lane, HoldPeriods>
}

/**
 * The periods after it was found that this holds the calls, or that nothing does: the same array when that is not new. A hold that returns within
 * a minute continues its period.
 */
export const after = (periods: HoldPeriods, hold: Hold | undefined, now: DateTime.Utc): HoldPeriods => {
  const last = periods.at(-1)
  if (last === undefined) return hold === undefined ? periods : [{ ...hold, since: now }]
  const earlier = periods.slice(0, -1)
  if (hold?.code === last.code && isAfter(last, DateTime.subtract(now, { minutes: 1 }))) {
    return hold.until?.epochMilliseconds === last.until?.epochMilliseconds
      ? periods
      : [...earlier, { ...hold, since: last.since }]
  }
  const ended = isAfter(last, now)
    ? [...earlier, { ...last, until: DateTime.max(last.since, now) }].filter(isLong)
    : periods
  return hold === undefined ? ended : bounded([...ended, { ...hold, since: now }])
}

/** What holds all calls of an account by its settings. */
export const bySettings = (
  { lines, paused }: { readonly lines: number; readonly paused: boolean },
  linesInUse: number
): Hold | undefined => {
  if (paused) return { code: "account_paused" }
  return linesInUse >= lines ? { code: "lines_busy" } : undefined
}

/** Whether the period goes on at the instant, or ends later. */
const isAfter = ({ until }: HoldPeriod, at: DateTime.Utc) => until === undefined || DateTime.isGreaterThan(until, at)

/** Whether it is long enough for the history of a call. */
export const isLong = ({ since, until }: HoldPeriod): boolean =>
  until === undefined || DateTime.isLessThanOrEqualTo(DateTime.addDuration(since, Limits.shortestWait), until)

/** Without the shortest period of the older half when there are too many: that says the least about calls that still wait. */
const bounded = (periods: HoldPeriods): HoldPeriods => {
  if (periods.length <= Limits.holdPeriods) return periods
  const older = periods.slice(0, Limits.holdPeriods / 2)
  const shortest = older.reduce((least, period) => lengthOf(period) < lengthOf(least) ? period : least)
  return periods.filter((period) => period !== shortest)
}

const lengthOf = ({ since, until = since }: HoldPeriod) => until.epochMilliseconds - since.epochMilliseconds

/** The parts of the period that lie in none of the others. */
export const outside = (period: HoldPeriod, others: HoldPeriods): HoldPeriods =>
  others.reduce<HoldPeriods>((parts, other) => parts.flatMap((part) => outsideOf(part, other)), [period])

const outsideOf = (period: HoldPeriod, { since, until }: HoldPeriod): HoldPeriods => {
  const isApart = !isAfter(period, since) || (until !== undefined && DateTime.isLessThanOrEqualTo(until, period.since))
  if (isApart) return [period]
  return [
    ...(DateTime.isLessThan(period.since, since) ? [{ ...period, until: since }] : []),
    ...(until !== undefined && isAfter(period, until) ? [{ ...period, since: until }] : [])
  ]
}
