import { assert, describe, it } from "@effect/vitest"
import { Cost } from "@outdial/core"
import { Option } from "effect"

const read = (amount: string, currency = "USD") =>
  Option.match(Cost.read(amount, currency), { onNone: () => "none", onSome: ({ amount }) => amount })

describe("the cost that a carrier says", () => {
  it("is an exact amount without sign and superfluous zeros", () => {
    assert.deepStrictEqual(
      ["-0.00750", "0.0075", "+1", "007.10", "0", "-0.000", "999999999999.000000000001", " 1.5 "].map((text) =>
        read(text)
      ),
      ["0.0075", "0.0075", "1", "7.1", "0", "0", "999999999999.000000000001", "1.5"]
    )
    assert.deepStrictEqual(Cost.read("1", "usd "), Option.some({ amount: "1", currency: "USD" }))
  })

  it("is none when it is no number or no currency", () => {
    for (const text of ["", "-", ".5", "1,5", "1e3", "NaN", "0x1", "1.2.3", "1".repeat(13), `0.${"1".repeat(13)}`]) {
      assert.strictEqual(read(text), "none", text)
    }
    for (const currency of ["", "US", "DOLLAR", "U$D", "€"]) assert.strictEqual(read("1", currency), "none", currency)
  })

  it("is summed up by currency without rounding", () => {
    const costs = [["0.1", "USD"], ["0.2", "USD"], ["5", "EUR"], ["0", "CHF"]] as const
    assert.deepStrictEqual(Cost.summed(costs.map(([amount, currency]) => ({ amount, currency }))), [
      { amount: "0", currency: "CHF" },
      { amount: "5", currency: "EUR" },
      { amount: "0.3", currency: "USD" }
    ])
    assert.deepStrictEqual(Cost.summed([]), [])
    const ten = Array.from({ length: 10 }, () => ({ amount: "10", currency: "USD" }))
    assert.deepStrictEqual(Cost.summed(ten), [{ amount: "100", currency: "USD" }])
  })
})
