/**
 * What the clocks of one zone show, as the runtime's own time zone data has it. Changes of the clocks are looked for half a
 * year at a time, on first use, and remembered by the instance; two changes that undo each other within 12 hours are not seen.
 */
import { Option, Result } from "effect"
import type { ZoneOffset } from "../../rules/time/ZoneOffset.ts"

export interface ZoneClock {
  /** One name for all names of the zone, as the runtime has it: `Canada/Central` is `America/Winnipeg`. */
  readonly name: string
  /** `until` is the next change, or the end of the half year that was looked at. `undefined` beyond what dates can express. */
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
      // The end is exclusive, so the last instant of all needs one more.
      const range = { from: Math.max(index * span, -farthest), to: Math.min((index + 1) * span, farthest + 1) }
      const spells = spellsOf(format, range)
      spans.set(index, spells)
      return spells.find(({ until }) => at < until)
    }
  }
}

// `Intl` also takes offsets such as `+02:00` for a zone, but an offset does not say when clocks change.
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

/** The stretches of one offset each that make up a range, in order. */
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

/** The first instant of a range that no longer has the offset of its beginning; clocks change at whole seconds. */
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
