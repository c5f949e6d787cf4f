/** How the fake Twilio repeats callbacks: as Twilio does, by the address that it was given. */
import { assert, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { callerId, eventually } from "../fake/CarrierEngine.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"

/** A server that answers with an error, and the paths that were asked for. */
const failing = Effect.gen(function*() {
  const paths: Array<string> = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? "")
    response.writeHead(503).end()
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  return yield* Effect.callback<{ readonly url: string; readonly paths: ReadonlyArray<string> }>((resume) => {
    server.listen(
      0,
      "127.0.0.1",
      () => resume(Effect.succeed({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths }))
    )
  })
})

it.live("A callback that is answered with an error is repeated only if its address asks for it", () =>
  Effect.gen(function*() {
    const { accountSid, authToken, calls, callbacks, end, url } = yield* FakeTwilio.FakeTwilio
    const server = yield* failing
    for (const path of ["/once", "/thrice#rc=2&rp=all"]) {
      const body = new URLSearchParams({
        To: "+14155550101",
        From: callerId,
        Twiml: "<Response></Response>",
        StatusCallback: server.url + path
      })
      yield* Effect.promise(() =>
        fetch(`${url}/2010-04-01/Accounts/${accountSid}/Calls.json`, {
          method: "POST",
          headers: { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` },
          body
        })
      )
    }
    yield* eventually(() => callbacks.length === 4 ? true : undefined)
    // Of each call the start and the ringing.
    assert.deepStrictEqual(server.paths.toSorted(), [...Array(2).fill("/once"), ...Array(6).fill("/thrice")])
    for (const { id } of calls) yield* end(id)
  }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))
