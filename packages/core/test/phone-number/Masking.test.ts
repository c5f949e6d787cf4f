import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { masked, maskedValue } from "../../src/phone-number/Masking.ts"

const hidden = [
  "+12125550123",
  "12125550123",
  "%2B12125550123",
  "+1 (212) 555-0123",
  "+44 20 7946 0958",
  "+44 (0) 20 7946 0958",
  "+1/212/555/0123",
  "+1\u00a0212\u00a0555\u20110123",
  "212/555-0123",
  "(212)  555\u20130123",
  "(212) 555-0123",
  "212-555-0123",
  "212.555.0123",
  "2125550123",
  "+3725550123",
  "tel:+12125550123;ext=5",
  "Key (account_id, phone_number)=(acct_1, +12125550123) already exists.",
  "to12125550123x",
  "2125550123000017",
  "1 after +212555012300000017",
  "\uff0b\uff11\uff12\uff11\uff12\uff15\uff15\uff15\uff10\uff11\uff12\uff13",
  "\uff12\uff11\uff12\uff15\uff15\uff15\uff10\uff11\uff12\uff13",
  "+1212\u200b5550123"
]

const shown = [
  "00000000-0000-4000-8000-000000000001",
  "2026-11-22T00:22:23.663Z",
  "2026-11-22 00:22:23.663123",
  "0af7651916cd43dd8448eb211c80319c",
  "call_01KTESTTESTTESTTESTTESTT00",
  "at /srv/outdial/main.js:120:14",
  "port 54321, 30000 ms, 1048576 bytes",
  "connect ECONNREFUSED 127.0.0.1:15499",
  "192.168.100.200:5432"
]

describe("what is logged", () => {
  for (const text of hidden) {
    it(`hides the number of: ${text}`, () => {
      assert.notMatch(masked(text).normalize("NFKC").replaceAll(/\D/g, ""), /\d{7}/)
    })
  }

  for (const text of shown) {
    it(`shows: ${text}`, () => assert.strictEqual(masked(text), text))
  }

  it("masks a whole value, keys and numbers too, and leaves the rest", () => {
    assert.deepStrictEqual(
      maskedValue({ "+12125550123": 1, to: ["+12125550123", 12125550123, null, true, 17], id: "call_1" }),
      { "+12…23": 1, to: ["+12…23", "121…23", null, true, 17], id: "call_1" }
    )
  })
})
