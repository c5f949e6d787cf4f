import { assert, describe, it } from "@effect/vitest"
import * as TwilioErrors from "../../src/twilio/TwilioErrors.ts"

/** As `fetch` fails. */
const failed = (cause: object) => new TypeError("fetch failed", { cause })

const socketError = (syscall: string, code: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall })

describe("the failure of a request for a call", () => {
  it("proves that nothing was sent only when no connection was made", () => {
    const reasonOf = (cause: unknown) => TwilioErrors.failureWithout(cause).reason
    for (const code of ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]) {
      assert.strictEqual(reasonOf(failed(socketError("connect", code))), "unavailable", code)
      // Of an open connection: the request may have been written.
      assert.strictEqual(reasonOf(failed(socketError("read", code))), "unknown", code)
      assert.strictEqual(reasonOf(failed(socketError("write", code))), "unknown", code)
    }
    assert.strictEqual(reasonOf(failed(socketError("getaddrinfo", "ENOTFOUND"))), "unavailable")
    assert.strictEqual(reasonOf(failed(socketError("read", "ECONNRESET"))), "unknown")
  })

  it("shows neither the numbers nor the addresses that Twilio repeats", () => {
    const body = JSON.stringify({
      code: 21205,
      message:
        "Url is not valid: https://calls.example.com/carriers/twilio/status/acct_1.call_1.tok, To +1 (415) 555-0101",
      more_info: "https://www.twilio.com/docs/errors/21205",
      status: 400
    })
    const { cause, reason } = TwilioErrors.failureOf(400, body)
    assert.strictEqual(reason, "refused")
    assert.instanceOf(cause, TwilioErrors.TwilioError)
    const shown = JSON.stringify(cause) + String(cause)
    assert.include(shown, "Url is not valid: (address)")
    assert.notInclude(shown, "calls.example.com")
    assert.notInclude(shown, "tok")
    assert.notMatch(shown, /555/)
  })
})
