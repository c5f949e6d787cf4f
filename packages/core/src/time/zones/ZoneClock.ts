/**
 * The clock of one zone, from the runtime's own time zone data. Changes of the offset are searched half a year at a
 * time, on first use, and cached by the instance. Two changes that undo each other within 12 hours are not found.
 */
import { Option, Result } from "effect"
import type { ZoneOffset } from "../../rules/time/ZoneOffset.ts"

export interface ZoneClock {
  /** The canonical name of the zone in the runtime: `Canada/Central` is `America/Winnipeg`. */
  readonly name: string
  /** `until` is the next change, or the end of the half year that was searched. `undefined` beyond the range of dates. */
  readonly offset: (at: number) => ZoneOffset | undefined
}

/** The last instant that ECMAScript can express; the first is as far on the other side. */
export const farthest = 8_640_000_000_000_000

// No zone has been known to change its clocks twice within 12 hours.
const step = 12 * 3_600_000
const span = 366 * step

/** The clock of a zone; `undefined` when the runtime knows no zone of that name. */
export const make = (zone: string): ZoneClock | undefined => {
  const format = formatOf(zone)
  if (format === undefined) return undefined
  const spans = new Map<number, ReadonlyArray<ZoneOffset>>()
  return {
    name: format.resolvedOptions().timeZone,
    offset: (at) => {
      if (!(Math.abs(at) <= farthest)) return undefined
      const index = Math.floor(at / span)
      const known = spans.get(index)
      if (known !== undefined) return known.find(({ until }) => at < until)
      // The end is exclusive, so that the last instant needs one more.
      const range = { from: Math.max(index * span, -farthest), to: Math.min((index + 1) * span, farthest + 1) }
      const spells = spellsOf(format, range)
      spans.set(index, spells)
      return spells.find(({ until }) => at < until)
    }
  }
}

// `Intl` also accepts offsets such as `+02:00` as zones, but an offset does not say when clocks change.
const isName = /^[A-Za-z]/
const written = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/

const formatOf = (zone: string): Intl.DateTimeFormat | undefined => {
  if (!isName.test(zone)) return undefined
  const format = Result.try(() => new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }))
  return Option.getOrUndefined(Option.filter(Result.getSuccess(format), (one) => written.test(one.format(0))))
}

/** The offset in milliseconds; `format` ends in `GMT`, `GMT-05:00` or, long ago, `GMT-04:56:02`. */
const offsetAt = (format: Intl.DateTimeFormat, at: number): number => {
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = written.exec(format.format(at)) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === "-" ? -size : size
}

interface Range {
  readonly from: number
  readonly to: number
}

/** The parts of a range with one offset each, in order. */
const spellsOf = (format: Intl.DateTimeFormat, range: Range): ReadonlyArray<ZoneOffset> => {
  const spells: Array<ZoneOffset> = []
  let offsetMs = offsetAt(format, range.from)
  for (let from = range.from; from < range.to; from += step) {
    const to = Math.min(from + step, range.to)
    const next = offsetAt(format, Math.min(to, farthest))
    if (next === offsetMs) continue
    spells.push({ offsetMs, until: changeIn(format, { from, to }) })
    offsetMs = next
  }
  return [...spells, { offsetMs, until: range.to }]
}

/** The first instant of a range with another offset than its beginning; clocks change at whole seconds. */
const changeIn = (format: Intl.DateTimeFormat, { from, to }: Range): number => {
  const offsetMs = offsetAt(format, from)
  let low = Math.floor(from / 1000)
  let high = Math.ceil(to / 1000)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(format, middle * 1000) === offsetMs) low = middle
    else high = middle
  }
  return high * 1000
}
