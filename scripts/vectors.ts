/**
 * Runs vector files against the engine: `npm run vectors -- FILE…`. Understands `phone.json`'s format and
 * `scheduling.json`'s. Prints every mismatch and a count per file; exits with 1 when there is one, with 2 when a file cannot
 * be read.
 */
import { PhoneNumbers, TimeZones } from "@outdial/core"
import { Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import * as PhoneVectors from "./PhoneVectors.ts"
import * as SchedulingVectors from "./SchedulingVectors.ts"

const decodeAny = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({
  vectors: Schema.NonEmptyArray(Schema.Record(Schema.String, Schema.Unknown))
})))
const decodePhone = Schema.decodeUnknownEffect(PhoneVectors.File)
const decodeScheduling = Schema.decodeUnknownEffect(SchedulingVectors.File)

/** What there is to check in a file, whichever format it has. */
const read = Effect.fnUntraced(function*(file: string) {
  const content = yield* Effect.flatMap(Effect.try({ try: () => readFileSync(file, "utf8"), catch: String }), decodeAny)
  const [first] = content.vectors
  if ("raw" in first) return (yield* decodePhone(content)).vectors.map((vector) => PhoneVectors.check(vector))
  if ("now" in first) return (yield* decodeScheduling(content)).vectors.map((vector) => SchedulingVectors.check(vector))
  return yield* Effect.fail("its first vector has neither `raw`, as in phone.json, nor `now`, as in scheduling.json")
})

/** The exit code for one file. */
const run = (file: string) =>
  Effect.gen(function*() {
    const verdicts = yield* Effect.flatMap(read(file), Effect.all)
    const failed = verdicts.flatMap((verdict) => verdict._tag === "failed" ? [verdict.why] : [])
    const skipped = verdicts.filter(({ _tag }) => _tag === "skipped").length
    for (const why of failed) console.log(why)
    const passed = verdicts.length - failed.length - skipped
    console.log(`${file}: ${passed} passed, ${failed.length} failed, ${skipped} skipped`)
    return failed.length > 0 ? 1 : 0
  }).pipe(
    Effect.catch((error) =>
      Effect.sync(() => {
        const why = typeof error === "string" ? error : error.message
        console.error(`${file} is no file of vectors: ${why.replaceAll(/\s*\n\s*/g, " ")}`)
        return 2
      })
    )
  )

const files = process.argv.slice(2)
if (files.length === 0) console.error("Name at least one file: npm run vectors -- test/vectors/phone.json")
const codes = await Effect.runPromise(
  Effect.forEach(files, run).pipe(
    Effect.provide(Layer.merge(PhoneNumbers.PhoneNumbers.layer, TimeZones.TimeZones.layer))
  )
)
process.exit(files.length === 0 ? 2 : Math.max(...codes))
