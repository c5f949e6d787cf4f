import { assert, it } from "@effect/vitest"
import { PhoneNumber, PhoneNumbers } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
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

  it.effect("refuses what is too short without the trunk prefix that people dial at home", () =>
    Effect.gen(function*() {
      for (const raw of ["+4900064", "+4308316", "+9802583"]) assert.strictEqual(yield* normalize(raw), null)
    }))

  it("shows a number in logs only by its country and its last two digits", () => {
    assert.strictEqual(PhoneNumber.mask("+14155550123"), "+14…23")
  })
})
