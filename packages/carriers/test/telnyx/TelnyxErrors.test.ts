import { assert, describe, it } from "@effect/vitest"
import * as TelnyxErrors from "../../src/telnyx/TelnyxErrors.ts"

const body = (code: string, detail = "Something is wrong") =>
  JSON.stringify({ errors: [{ code, title: "A title", detail }] })

const reasonOf = (status: number, text: string) => TelnyxErrors.failureOf(status, text).reason

describe("the response to a request for a call", () => {
  it("proves that nothing rang only when the error is Telnyx's own, and says so", () => {
    for (
      const [status, code, reason] of [
        [422, "10002", "refused"],
        [400, "10015", "refused"],
        [429, "10011", "unavailable"],
        [429, "90103", "unavailable"],
        [401, "10009", "not_authorized"],
        [402, "20100", "not_authorized"],
        [403, "10010", "unavailable"],
        // The call may have been placed before, by a request with the same `command_id`.
        [409, "10012", "unknown"],
        [422, "10012", "unknown"],
        [422, "90999", "unknown"],
        [408, "10008", "unknown"],
        [500, "10007", "unknown"],
        [200, "10002", "unknown"]
      ] as const
    ) assert.strictEqual(reasonOf(status, body(code)), reason, `${status} ${code}`)
    for (
      const text of [
        "",
        "<html>Forbidden</html>",
        "{}",
        "{\"errors\":[]}",
        "{\"errors\":[{\"code\":403,\"title\":\"no\"}]}"
      ]
    ) {
      for (const status of [400, 401, 403, 404, 422, 429]) assert.strictEqual(reasonOf(status, text), "unknown", text)
    }
  })

  it("may be the operator's fault where it names a connection or a permission, and nothing rang", () => {
    for (
      const [status, code, may] of [
        [422, "10015", true],
        [404, "10005", true],
        [403, "10010", true],
        [422, "10002", false],
        [500, "10015", false],
        [401, "10009", false]
      ] as const
    ) {
      assert.strictEqual(TelnyxErrors.mayBeOfAccount(TelnyxErrors.failureOf(status, body(code))), may, code)
    }
  })

  it("shows neither the numbers nor the addresses that Telnyx repeats", () => {
    const failure = TelnyxErrors.failureOf(422, body("10003", "https://calls.example.com/x/tok for +1 (415) 555-0101"))
    const shown = JSON.stringify(failure.cause) + String(failure.cause) + JSON.stringify(failure.carrierReason)
    assert.include(shown, "(address) for (number)")
    assert.notMatch(shown, /555|tok|calls\.example/)
  })
})
