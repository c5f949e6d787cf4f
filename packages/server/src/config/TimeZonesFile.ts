/**
 * The time zones of this deployment: the overrides in the JSON file that `OUTDIAL_TIME_ZONES` names, over the built-in table,
 * with this Node's time zone data. The file is read once, at the start.
 */
import { TimeZones } from "@outdial/core"
import { Effect, FileSystem, Layer, Option, Schema } from "effect"
import * as Config from "./Config.ts"

/** The file cannot be used; the message names it and says what to do. */
export class TimeZonesFileUnusable extends Schema.TaggedError<TimeZonesFileUnusable>()("TimeZonesFileUnusable", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `OUTDIAL_TIME_ZONES names ${this.file}, which cannot be used. ${this.problem}`
  }
}

/** The release of the time zone data that this Node has, such as `2026c`; `undefined` when it was built without any. */
export const tzdata: string | undefined = process.versions["tz"]

// The runtime determines the version of the data, not the file.
const decode = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({
    numbers: Schema.optionalKey(Schema.Unknown),
    zones: Schema.optionalKey(Schema.Unknown)
  })),
  { onExcessProperty: "error" }
)

type Options = typeof TimeZones.TimeZoneOptions.Encoded

const read = Effect.fnUntraced(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  const unusable = (problem: string) => new TimeZonesFileUnusable({ file, problem })
  const text = yield* files.readFileString(file).pipe(
    Effect.mapError(({ message }) => unusable(`It cannot be read: ${message}`))
  )
  return yield* Effect.mapError(
    decode(text),
    () => unusable(`It must be JSON with "numbers", "zones" or both, such as ${example}`)
  )
})

const example =
  "{\"numbers\": {\"+1850\": [\"America/New_York\"]}, \"zones\": {\"America/Winnipeg\": {\"use\": \"-05:00\"}}}"

/** The built-in table and this Node's data, with the overrides of a file if one is given. */
export const layerFrom = (file: Option.Option<string>) =>
  Option.match(file, {
    onNone: () => layerWith({}).pipe(Layer.orDie),
    onSome: (file) =>
      Layer.unwrap(Effect.map(read(file), layerWith)).pipe(
        Layer.catchTag(
          "InvalidTimeZones",
          ({ problems }) =>
            Layer.effectContext(Effect.fail(new TimeZonesFileUnusable({ file, problem: problems.join("; ") })))
        )
      )
  })

const layerWith = (overrides: { readonly numbers?: unknown; readonly zones?: unknown }) =>
  // `TimeZones.layerWith` checks what it is given.
  TimeZones.TimeZones.layerWith({ ...overrides, ...(tzdata === undefined ? {} : { tzdata }) } as Options)

/** The overrides of the file that `OUTDIAL_TIME_ZONES` names, or none. */
export const layer = Layer.unwrap(Effect.gen(function*() {
  return layerFrom(yield* Config.timeZones)
}))
