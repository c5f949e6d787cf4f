/**
 * A deployment's corrections of our table and the runtime's time zone data, as JSON. Each problem has its path and what
 * to do. Unknown names are refused, because a misspelt override would silently do nothing.
 */
import { Schema } from "effect"
import { Timestamp } from "../../domain/Timestamp.ts"
import * as ZoneClock from "./ZoneClock.ts"

export const ZoneReplacement = Schema.Struct({
  /** Another zone, or a distance from UTC such as `-05:00`. */
  use: Schema.String,
  /** Absent is always. */
  from: Schema.optionalKey(Timestamp)
}).annotate({ messageUnexpectedKey: "is unknown; the known fields are use and from" })
export type ZoneReplacement = typeof ZoneReplacement.Type

export const TimeZoneOptions = Schema.Struct({
  /** Zones by the start of a number, before our table; the longest start wins, and no zones means not known. */
  numbers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  /** The clock of a zone, under all of its names, for runtimes whose data is too old. */
  zones: Schema.optionalKey(Schema.Record(Schema.String, ZoneReplacement)),
  /** The release of the runtime's time zone data, such as `2026c`, if the runtime does not report it; shown, and part of the version. */
  tzdata: Schema.optionalKey(Schema.NonEmptyString)
}).annotate({ messageUnexpectedKey: "is unknown; the known fields are numbers, zones and tzdata" }).check(
  Schema.makeFilter(({ numbers = {}, zones = {} }) => [...numberProblems(numbers), ...zoneProblems(zones)])
)
export type TimeZoneOptions = typeof TimeZoneOptions.Type

/** A distance from UTC, such as `-05:00`. */
export const fixedOffset = /^([+-])(0\d|1[0-4]):([0-5]\d)$/

interface Problem {
  readonly path: ReadonlyArray<string>
  readonly issue: string
}

const prefix = /^\+[1-9][0-9]{0,14}$/

const numberProblems = (numbers: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<Problem> =>
  Object.entries(numbers).flatMap(([start, zones]) => {
    const path = ["numbers", start]
    return [
      ...(prefix.test(start)
        ? []
        : [{ path, issue: "must be the start of a number with its country code, such as +1850" }]),
      ...zones.filter((zone) => ZoneClock.make(zone) === undefined).map((zone) => ({ path, issue: unknown(zone) }))
    ]
  })

const zoneProblems = (zones: Readonly<Record<string, ZoneReplacement>>): ReadonlyArray<Problem> => {
  const named = Object.keys(zones).map((zone) => ({ zone, name: ZoneClock.make(zone)?.name }))
  return Object.entries(zones).flatMap(([zone, { use }]) => {
    const own = ZoneClock.make(zone)
    if (own === undefined) return [{ path: ["zones", zone], issue: unknown(zone) }]
    const duplicate = named.find((one) => one.name === own.name && one.zone < zone)
    if (duplicate !== undefined) {
      return [{
        path: ["zones", zone],
        issue: `is the same zone as ${duplicate.zone}, which is replaced too: keep one of them`
      }]
    }
    const path = ["zones", zone, "use"]
    if (fixedOffset.test(use)) return []
    const other = ZoneClock.make(use)
    if (other === undefined) {
      return [{ path, issue: `${unknown(use)}, or a distance from UTC such as -05:00` }]
    }
    if (other.name === own.name) {
      return [{ path, issue: `is the zone itself: name another one, or a distance from UTC such as -05:00` }]
    }
    return named.some(({ name }) => name === other.name)
      ? [{ path, issue: `is replaced itself: write here what ${use} uses` }]
      : []
  })
}

const unknown = (zone: string): string =>
  `${JSON.stringify(zone)} is not known to the runtime: name a zone such as America/Chicago`
