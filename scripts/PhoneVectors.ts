/** Vectors of `phone.json`'s format: how telephone numbers are read. */
import { PhoneNumber, PhoneNumbers } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
import { failed, passed } from "./Verdict.ts"

export const File = Schema.Struct({
  vectors: Schema.Array(Schema.Struct({
    id: Schema.String,
    raw: Schema.Unknown,
    expected: Schema.Struct({ ok: Schema.Boolean, e164: Schema.NullOr(Schema.String) })
  }))
})
type Vector = typeof File.Type["vectors"][number]

const decodeNumber = Schema.decodeUnknownOption(PhoneNumber.PhoneNumberText)

/** The number as the engine keeps it; `null` where it is refused. */
const normalize = (numbers: PhoneNumbers.PhoneNumbers["Service"], raw: unknown): string | null => {
  const number = decodeNumber(raw)
  if (Option.isNone(number)) return null
  const assessment = numbers.assess(number.value)
  return assessment._tag === "NotPossible" ? null : assessment.number
}

export const check = Effect.fnUntraced(function*({ expected, id, raw }: Vector) {
  const actual = normalize(yield* PhoneNumbers.PhoneNumbers, raw)
  const wanted = expected.ok ? expected.e164 : null
  return actual === wanted
    ? passed
    : failed(`${id} ${JSON.stringify(raw)}: expected ${wanted ?? "refusal"}, got ${actual ?? "refusal"}`)
})
