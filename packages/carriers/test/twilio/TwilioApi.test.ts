import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as TwilioApi from "../../src/twilio/TwilioApi.ts"

/** The API of the account AC1 at a server of the test. */
const apiAt = Effect.fnUntraced(function*(listener: RequestListener) {
  const server = createServer(listener)
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections() ?? server.close()))
  const port = yield* Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })
  return yield* TwilioApi.make({
    accountSid: "AC1",
    user: "AC1",
    password: Redacted.make("token"),
    apiUrl: `http://127.0.0.1:${port}`
  })
})

describe("a request for a call", () => {
  it.live("follows no redirect, which would send it twice", () =>
    Effect.gen(function*() {
      const requests: Array<string> = []
      const api = yield* apiAt((request, response) => {
        requests.push(`${request.method} ${request.url}`)
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      const { reason } = yield* Effect.flip(api.create([["To", "+14155550101"]]))
      assert.strictEqual(reason, "unknown")
      assert.deepStrictEqual(requests, ["POST /2010-04-01/Accounts/AC1/Calls.json"])
    }).pipe(Effect.provide(FetchHttpClient.layer)))

  it.live("may have rung a phone when the response is of another account, whose calls are never taken for ours", () =>
    Effect.gen(function*() {
      const call = {
        sid: `CA${"a".repeat(32)}`,
        account_sid: "AC2",
        status: "completed",
        direction: "outbound-api",
        date_created: "Mon, 02 Mar 2026 10:00:00 +0000"
      }
      const api = yield* apiAt(({ method, url = "" }, response) => {
        const isList = method === "GET" && url.includes("Calls.json")
        response.writeHead(method === "POST" ? 201 : 200).end(JSON.stringify(isList ? { calls: [call] } : call))
      })
      assert.strictEqual((yield* Effect.flip(api.create([["To", "+14155550101"]]))).reason, "unknown")
      assert.strictEqual((yield* Effect.flip(api.get(call.sid)))._tag, "TwilioUnreachable")
      assert.deepStrictEqual(yield* api.list({ to: "+14155550101" }), [])
    }).pipe(Effect.provide(FetchHttpClient.layer)))
})
