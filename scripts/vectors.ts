/**
 * Runs vector files against the engine: `npm run vectors -- FILE…`. Understands `phone.json`'s format. Prints every mismatch
 * and a count per file; exits with 1 when there is one, with 2 when a file cannot be read.
 */
import { PhoneNumber, PhoneNumbers } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
import { readFileSync } from "node:fs"

const PhoneVectors = Schema.fromJsonString(Schema.Struct({
  vectors: Schema.Array(Schema.Struct({
    id: Schema.String,
    raw: Schema.Unknown,
    expected: Schema.Struct({ ok: Schema.Boolean, e164: Schema.NullOr(Schema.String) })
  }))
}))

const decodeNumber = Schema.decodeUnknownOption(PhoneNumber.PhoneNumberText)

/** The number as the engine keeps it; `null` where it is refused. */
const normalize = (numbers: PhoneNumbers.PhoneNumbers["Service"], raw: unknown): string | null => {
  const number = decodeNumber(raw)
  if (Option.isNone(number)) return null
  const assessment = numbers.assess(number.value)
  return assessment._tag === "NotPossible" ? null : assessment.number
}

const check = Effect.fnUntraced(function*(file: string) {
  const numbers = yield* PhoneNumbers.PhoneNumbers
  const { vectors } = yield* Effect.try(() => readFileSync(file, "utf8")).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(PhoneVectors)),
    Effect.tapError((error) => Effect.sync(() => console.error(`${file} is no file of vectors: ${error.message}`)))
  )
  const mismatches = vectors.flatMap(({ expected, id, raw }) => {
    const actual = normalize(numbers, raw)
    const wanted = expected.ok ? expected.e164 : null
    return actual === wanted
      ? []
      : [`${id} ${JSON.stringify(raw)}: expected ${wanted ?? "refusal"}, got ${actual ?? "refusal"}`]
  })
  for (const mismatch of mismatches) console.log(mismatch)
  console.log(`${file}: ${vectors.length - mismatches.length} passed, ${mismatches.length} failed`)
  return mismatches.length
})

const files = process.argv.slice(2)
const failed = await Effect.runPromise(
  Effect.forEach(files, check).pipe(
    Effect.map((counts) => counts.some((count) => count > 0) ? 1 : 0),
    Effect.orElseSucceed(() => 2),
    Effect.provide(PhoneNumbers.PhoneNumbers.layer)
  )
)
if (files.length === 0) console.error("Name at least one file: npm run vectors -- test/vectors/phone.json")
process.exit(files.length === 0 ? 2 : failed)
