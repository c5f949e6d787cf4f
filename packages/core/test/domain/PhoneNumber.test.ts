import { assert, it } from "@effect/vitest"
import { PhoneNumber, PhoneNumbers } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
import { getCountries, getCountryCallingCode } from "libphonenumber-js/max"
import { describe } from "vitest"
import vectors from "../../../../test/vectors/phone.json" with { type: "json" }

const decode = Schema.decodeUnknownOption(PhoneNumber.PhoneNumberText)

/** The number as the engine keeps it, or `null` where it is refused. */
const normalize = (raw: unknown) =>
  PhoneNumbers.PhoneNumbers.useSync(({ assess }) => {
    const number = decode(raw)
    if (Option.isNone(number)) return null
    const assessment = assess(number.value)
    return assessment._tag === "NotPossible" ? null : assessment.number
  }).pipe(Effect.provide(PhoneNumbers.PhoneNumbers.layer))

describe("PhoneNumber", () => {
  for (const { category, expected, id, raw } of vectors.vectors) {
    it.effect(`reads vector ${id} (${category}) as the reference does: ${JSON.stringify(raw)}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* normalize(raw), expected.ok ? expected.e164 : null)
      }))
  }

  it.effect("tells premium numbers, which are never called", () =>
    PhoneNumbers.PhoneNumbers.useSync(({ assess }) => {
      const number = PhoneNumber.PhoneNumber.make("+19002345678")
      assert.deepStrictEqual(assess(number), { _tag: "Premium", number, country: "US" })
    }).pipe(Effect.provide(PhoneNumbers.PhoneNumbers.layer)))

  it.effect("takes no emergency number for a number, behind whatever calling code", () =>
    Effect.gen(function*() {
      const emergency =
        "000 100 101 102 103 108 110 111 112 113 114 115 117 118 119 120 122 123 133 144 150 155 158 190 191 192 193"
          .concat(" 194 195 197 198 199 211 911 991 995 997 998 999").split(" ")
      const codes = new Set(getCountries().map((country) => getCountryCallingCode(country)))
      for (const number of emergency) {
        for (const raw of [number, `+${number}`, `00${number}`, ...Array.from(codes, (code) => `+${code}${number}`)]) {
          assert.strictEqual(yield* normalize(raw), null, raw)
        }
      }
    }))

  it.effect("refuses what is too short without the trunk prefix that people dial at home", () =>
    Effect.gen(function*() {
      for (const raw of ["+4900064", "+4308316", "+9802583"]) assert.strictEqual(yield* normalize(raw), null)
    }))

  it("shows a number in logs only by its country and its last two digits", () => {
    assert.strictEqual(PhoneNumber.mask("+14155550123"), "+14…23")
  })
})
