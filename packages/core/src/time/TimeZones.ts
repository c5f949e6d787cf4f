/**
 * Port: the time zones in which a number may lie, and the clocks of zones. `layer` has our table, made from public
 * metadata, and the runtime's time zone data; `layerWith` adds corrections of a deployment. A number that could be
 * anywhere, such as a toll-free one, has no zones here: the rules decide about it.
 */
import { Context, Effect, Hash, Layer, Schema, SchemaIssue } from "effect"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { ZoneOffsets } from "../rules/time/ZoneOffset.ts"
import { corrections } from "./zones/NumberZoneCorrections.ts"
import { source, table } from "./zones/NumberZones.ts"
import * as NumberPrefixes from "./zones/NumberPrefixes.ts"
import * as ZoneClocks from "./zones/ZoneClocks.ts"
import { TimeZoneOptions } from "./zones/ZoneOptions.ts"

export { TimeZoneOptions } from "./zones/ZoneOptions.ts"

/** The options name unknown prefixes or zones; every problem with its path and what to do. */
export class InvalidTimeZones extends Schema.TaggedError<InvalidTimeZones>()("InvalidTimeZones", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The time zone overrides cannot be used. ${this.problems.join("; ")}`
  }
}

export class TimeZones extends Context.Service<TimeZones, {
  /** Every zone that the number may lie in, sorted, without duplicates; empty when that is not known. */
  readonly ofNumber: (number: PhoneNumber) => ReadonlyArray<string>
  /** The offset of a zone, and until when it is certain. */
  readonly offset: ZoneOffsets
  /** Whether the zone exists. Offsets such as `+02:00` are not zones, because they do not say when clocks change. */
  readonly isKnown: (zone: string) => boolean
  /** The canonical name for all names and spellings of a zone; `undefined` when it does not exist. */
  readonly canonical: (zone: string) => string | undefined
  /** Changes whenever the results may change; without `|`, `@` and `>`, which separate the parts of lanes' names. */
  readonly version: string
  /** The release of the time zone data in use, if the host or the runtime reports it. */
  readonly tzdata: string | undefined
}>()("@outdial/core/time/TimeZones") {
  static readonly layer = Layer.sync(TimeZones, () => make({}))

  /** With overrides of numbers and zones. Fails when they name unknown ones. */
  static readonly layerWith = (options: typeof TimeZoneOptions.Encoded): Layer.Layer<TimeZones, InvalidTimeZones> =>
    Layer.effect(TimeZones, Effect.map(decode(options), make))
}

/** The release of time zone data that the runtime reports; Node, Bun and Deno do, browsers do not. */
const runtimeRelease = (): string | undefined => {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly tz?: string } } }
  return process?.versions?.tz
}

const make = (given: TimeZoneOptions): TimeZones["Service"] => {
  const tzdata = given.tzdata ?? runtimeRelease()
  const options = { ...given, ...(tzdata !== undefined && { tzdata }) }
  const known = NumberPrefixes.make(Object.entries(options.numbers ?? {}))
  const corrected = NumberPrefixes.make(
    corrections.flatMap(({ starts, zones }) => starts.map((start) => [start, zones]))
  )
  const prefixes = NumberPrefixes.unpack(table)
  const tabled = NumberPrefixes.make(prefixes)
  // Runtimes use former names of some zones, such as Asia/Calcutta.
  const names = new Map([...prefixes].flatMap(([, zones]) => zones.map((zone) => [zone.toLowerCase(), zone] as const)))
  const clockOf = ZoneClocks.make(options.zones)
  return {
    ofNumber: (number) => known(number) ?? corrected(number) ?? tabled(number) ?? [],
    offset: (zone, at) => clockOf(zone)?.offset(at),
    isKnown: (zone) => clockOf(zone) !== undefined,
    canonical: (zone) => {
      const clock = clockOf(zone)
      return clock && (names.get(zone.toLowerCase()) ?? clock.name)
    },
    version: hash(JSON.stringify([source, table, corrections, encode(options)])),
    tzdata
  }
}

const encode = Schema.encodeSync(TimeZoneOptions)

const hash = (text: string): string => (Hash.string(text) >>> 0).toString(16).padStart(8, "0")

const decodeOptions = Schema.decodeUnknownEffect(TimeZoneOptions, { errors: "all", onExcessProperty: "error" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()

const decode = (options: unknown) =>
  Effect.mapError(decodeOptions(options), ({ issue }) =>
    new InvalidTimeZones({
      problems: format(issue).issues.map(({ message, path = [] }) =>
        `${path.map((part) => String(typeof part === "object" ? part.key : part)).join(" > ")} ${message}`.trim()
      )
    }))
