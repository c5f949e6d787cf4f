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

  it.effect("recognises premium numbers, which are never called", () =>
    PhoneNumbers.PhoneNumbers.useSync(({ assess }) => {
      const number = PhoneNumber.PhoneNumber.make("+19002345678")
      assert.deepStrictEqual(assess(number), { _tag: "Premium", number, country: "US" })
    }).pipe(Effect.provide(PhoneNumbers.PhoneNumbers.layer)))

  it.effect("accepts no emergency number, after any calling code", () =>
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

  const dialedIn = (country: string, digits: string) =>
    PhoneNumbers.PhoneNumbers.useSync((numbers) => numbers.dialedIn(country, digits)).pipe(
      Effect.provide(PhoneNumbers.PhoneNumbers.layer)
    )

  it.effect.each([
    ["US", "4155550100", "+14155550100"],
    ["US", "14155550100", "+14155550100"],
    ["CA", "4155550100", "+14155550100"],
    ["GB", "02079460958", "+442079460958"],
    ["FR", "0612345678", "+33612345678"],
    ["DE", "017012345678", "+4917012345678"],
    ["IT", "0669812345", "+390669812345"],
    ["AU", "0412345678", "+61412345678"],
    // With the country's own prefix for calls abroad; with that of another one.
    ["US", "011442079460958", "+442079460958"],
    ["JP", "010442079460958", "+442079460958"],
    ["US", "010442079460958", undefined],
    // Without an area code.
    ["US", "5550100", undefined],
    // A business, with fewer than seven digits.
    ["AU", "131114", undefined],
    // In no range of the plan: an emergency number and more digits, an ambulance service, directory enquiries.
    ["US", "9115550100", undefined],
    ["DE", "19222", undefined],
    ["DE", "11880", undefined],
    ["DE", "116117", undefined],
    ["US", "1", undefined],
    ["US", "1".repeat(20), undefined],
    ["ZZ", "4155550100", undefined],
    ["__proto__", "4155550100", undefined]
  ])(
    "reads, where %s is the country of numbers without one, %s as %s",
    ([country, digits, expected]) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* dialedIn(country ?? "", digits ?? ""), expected)
      })
  )

  it.effect("accepts no emergency number or short number of any country", () =>
    Effect.gen(function*() {
      const short =
        ("000 100 101 102 103 106 108 110 111 112 113 114 115 117 118 119 120 122 123 133 144 150 155 158 190 191" +
          " 192 193 194 195 197 198 199 211 311 411 511 611 711 811 911 988 991 995 997 998 999 1022 1122 15555 19222 22000 40404 116000 116006" +
          " 116111 116117 116123 118118").split(" ")
      for (const country of getCountries()) {
        for (const digits of short) assert.isUndefined(yield* dialedIn(country, digits), `${country} ${digits}`)
      }
    }))

  it("knows of the text whether it gives no country", () => {
    for (const text of ["(415) 555-0100", "415.555.0100", "４１５５５５０１００", "911", "1", "0612345678"]) {
      assert.isTrue(PhoneNumber.isNational(text), text)
    }
    const others = [
      "+14155550100",
      "0014155550100",
      "000",
      "",
      "1-800-FLOWERS",
      "4155550100 x5",
      "4155550100;ext=5",
      "#31#4155550100",
      "٤١٥٥٥٥٠١٠٠",
      "415\u00005550100",
      "415\n5550100",
      "1".repeat(30)
    ]
    for (const text of others) assert.isFalse(PhoneNumber.isNational(text), text)
  })

  it.effect("refuses what is too short without the trunk prefix that people dial at home", () =>
    Effect.gen(function*() {
      for (const raw of ["+4900064", "+4308316", "+9802583"]) assert.strictEqual(yield* normalize(raw), null)
    }))

  it("shows a number in logs only by its country and its last two digits", () => {
    assert.strictEqual(PhoneNumber.mask("+14155550123"), "+14…23")
  })
})
