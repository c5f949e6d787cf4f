import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { masked, maskedForViewers, maskedValue } from "../../src/phone-number/Masking.ts"

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
  "+1212\u200b5550123",
  // As people write numbers at home.
  "089/1234567",
  "(030) 123 45 67",
  "030 - 123 45 67",
  "0171 1234567",
  "0171/123 45 67",
  "01 23 45 67 89",
  "020 7946 0958",
  "(0)20 7946 0958",
  "0049 89 123456",
  "\uff10\uff18\uff19/\uff11\uff12\uff13\uff14\uff15\uff16\uff17",
  "call me: 089/1234567, not 2026-11-22"
]

/** Viewers of the console do not see these either, which logs are full of. */
const hiddenFromViewers = ["555-0123", "555 01 23", "1234567", "12 34 56 7", "192.168.100.200", "10.30 \u2013 12.45"]

const shown = [
  "00000000-0000-4000-8000-000000000001",
  "2026-11-22T00:22:23.663Z",
  "2026-11-22 00:22:23.663123",
  "0af7651916cd43dd8448eb211c80319c",
  "call_01KTESTTESTTESTTESTTESTT00",
  "at /srv/outdial/main.js:120:14",
  "port 54321, 30000 ms, 1048576 bytes",
  "connect ECONNREFUSED 127.0.0.1:15499",
  "192.168.100.200:5432",
  "00:22:23.663123, 0.123456"
]

const shownToViewers = [
  "00000000-0000-4000-8000-000000000001",
  "12345678-1234-4123-8123-123456789012",
  "2026-11-22T00:22:23.663Z",
  "1970-01-01T00:00:00.000Z",
  "0af7651916cd43dd8448eb211c80319c",
  "There is no call call_01234567890123456789012345",
  "2026-11-22",
  "on 22.11.2026, 9:00 to 17:00",
  "22/11/2026 or 11/22/2026",
  "24 calls in 30 days, 999999"
]

describe("what is logged", () => {
  for (const text of hidden) {
    it(`hides the number of: ${text}`, () => {
      const digits = masked(text).replaceAll("2026-11-22", "").normalize("NFKC").replaceAll(/\D/g, "")
      assert.notMatch(digits, /\d{7}/)
    })
  }

  for (const text of shown) {
    it(`shows: ${text}`, () => assert.strictEqual(masked(text), text))
  }

  for (const text of [...hidden, ...hiddenFromViewers]) {
    it(`hides from viewers: ${text}`, () => {
      const digits = maskedForViewers(text).replaceAll("2026-11-22", "").normalize("NFKC").replaceAll(/\D/g, "")
      assert.notMatch(digits, /\d{6}/)
    })
  }

  for (const text of shownToViewers) {
    it(`shows viewers: ${text}`, () => assert.strictEqual(maskedForViewers(text), text))
  }

  it("masks a whole value, keys and numbers too, and leaves the rest", () => {
    assert.deepStrictEqual(
      maskedValue({ "+12125550123": 1, to: ["+12125550123", 12125550123, null, true, 17], id: "call_1" }),
      { "+12…23": 1, to: ["+12…23", "121…23", null, true, 17], id: "call_1" }
    )
  })
})
