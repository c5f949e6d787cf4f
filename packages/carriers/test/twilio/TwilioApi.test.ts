import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as TwilioApi from "../../src/twilio/TwilioApi.ts"

describe("a request for a call", () => {
  it.live("follows no redirect, which would send it twice", () =>
    Effect.gen(function*() {
      const requests: Array<string> = []
      const server = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`)
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections() ?? server.close()))
      const port = yield* Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
      })
      const api = yield* TwilioApi.make({
        accountSid: "AC1",
        user: "AC1",
        password: Redacted.make("token"),
        apiUrl: `http://127.0.0.1:${port}`
      })
      const { reason } = yield* Effect.flip(api.create([["To", "+14155550101"]]))
      assert.strictEqual(reason, "unknown")
      assert.deepStrictEqual(requests, ["POST /2010-04-01/Accounts/AC1/Calls.json"])
    }).pipe(Effect.provide(FetchHttpClient.layer)))
})
