import { assert, describe, it } from "@effect/vitest"
import { CarrierReason, Limits } from "@outdial/core"

const message = (text: string) => CarrierReason.shown({ message: text })?.message

describe("A carrier's reason", () => {
  it.each<readonly [given: string, shown: string]>([
    ["Account not authorized to call this country.", "Account not authorized to call this country."],
    ["  Too\tmany\r\n calls \u0000 ", "Too many calls"],
    ["The number +1 (415) 555-0100 is blocked", "The number … is blocked"],
    ["To 0049-30/1234567: no route", "To …: no route"],
    ["14155550100", "…"],
    ["INVITE sip:grace@example.com;user=phone failed", "INVITE … failed"],
    ["See https://carrier.example/e/21215?token=abc for more", "See … for more"],
    ["Ask ops@carrier.example", "Ask …"],
    ["Account AC0123456789abcdef0123456789abcdef is suspended", "Account … is suspended"],
    ["Call 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed is gone", "Call … is gone"],
    ["Key sk_live_51H8abcdefghij is wrong", "Key … is wrong"],
    ["SIP 603, Q.850 cause 21, after 30 s", "SIP 603, Q.850 cause 21, after 30 s"],
    ["unallocated-or-unassigned-number", "unallocated-or-unassigned-number"],
    ["half a pair \ud83d here", "half a pair here"]
  ])("is shown without numbers, addresses and secrets: %j", (given, shown) => {
    assert.strictEqual(message(given), shown)
    assert.strictEqual(message(shown), shown, "twice the same as once")
  })

  it("is bounded, and cuts no character in two", () => {
    const long = "\u{1F4DE} ".repeat(100_000)
    const shown = message(long) ?? ""
    assert.isAtMost(shown.length, Limits.carrierMessageLength)
    assert.isTrue(shown.endsWith("…"))
    assert.notMatch(shown, /\p{Cs}/u)
    assert.isAtMost(CarrierReason.shown({ code: "x y ".repeat(1000) })?.code?.length ?? 0, Limits.carrierCodeLength)
  })

  it("takes little time, whatever the carrier says", () => {
    for (const part of ["1", "a", "1 ", "@", "(1", "a1-", "\u0000"]) message(part.repeat(1_000_000))
  })

  it("is none when nothing is left of it", () => {
    for (const reason of [{}, { code: "" }, { code: " ", message: "\n" }]) {
      assert.isUndefined(CarrierReason.shown(reason))
    }
  })

  it("ends a sentence", () => {
    const refused = (reason: CarrierReason.CarrierReason) => CarrierReason.explained("The carrier refused it.", reason)
    assert.strictEqual(refused({ code: "603", message: "Declined." }), "The carrier refused it: Declined (603).")
    assert.strictEqual(refused({ code: "603" }), "The carrier refused it (603).")
    assert.strictEqual(refused({ message: "Declined" }), "The carrier refused it: Declined.")
  })
})
