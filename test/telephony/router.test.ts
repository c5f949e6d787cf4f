/** Several carriers side by side, over real HTTP and real sockets: two accounts at a fake Twilio, and a fake Telnyx. */
import { assert, describe, it } from "@effect/vitest"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { CarrierRouter } from "@outdial/core"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Context, Effect, Layer, Redacted } from "effect"
import { createServer } from "node:http"
import * as CarrierEngine from "./fake/CarrierEngine.ts"
import * as FreePort from "./fake/FreePort.ts"
import * as CheckedTwilio from "./twilio/CheckedTwilio.ts"

const fakeTwilio = (accountSid: string) =>
  Effect.map(
    Layer.build(Layer.fresh(CheckedTwilio.layer({ accountSid, authToken: `token of ${accountSid}` }))),
    (built) => Context.get(built, FakeTwilio.FakeTwilio)
  )

const twilio = (
  { accountSid, authToken, url }: FakeTwilio.FakeTwilio["Service"],
  options: { readonly publicUrl: string; readonly name?: string }
) =>
  TwilioTelephony.layer({
    accountSid,
    authToken: Redacted.make(authToken),
    apiUrl: url,
    callerId: CarrierEngine.callerId,
    callsPerSecond: 1000,
    ...options
  })

const telnyx = (
  { apiKey, connectionId, publicKey, url }: FakeTelnyx.FakeTelnyx["Service"],
  options: { readonly publicUrl: string; readonly apiUrl?: string }
) =>
  TelnyxTelephony.layer({
    apiKey: Redacted.make(apiKey),
    connectionId,
    publicKey,
    apiUrl: url,
    callerId: CarrierEngine.callerId,
    callsPerSecond: 1000,
    charactersPerSecond: 1000,
    ...options
  })

describe.concurrent("a router", () => {
  it.live("holds conversations over each carrier, whose callbacks come back to it", () =>
    Effect.gen(function*() {
      const first = yield* fakeTwilio(`AC${"1".repeat(32)}`)
      const second = yield* fakeTwilio(`AC${"2".repeat(32)}`)
      const fake = yield* FakeTelnyx.FakeTelnyx
      const host = yield* CarrierEngine.open((publicUrl) =>
        CarrierRouter.layer({
          carriers: [
            twilio(first, { publicUrl }),
            twilio(second, { publicUrl, name: "twilio-2" }),
            telnyx(fake, { publicUrl })
          ],
          routes: [
            { carrier: "telnyx", countries: ["DE", "AT"] },
            { carrier: "twilio-2", accounts: ["acct_default"], countries: ["FR"] }
          ]
        })
      )
      const numbers = ["+14155550101", "+33142345671", "+4930123451"]
      const ids = yield* Effect.forEach(numbers, (number) => CarrierEngine.start(host, number))
      const ended = yield* Effect.forEach(ids, ({ id }) => CarrierEngine.ended(host, id))
      assert.deepStrictEqual(ended.map(({ status }) => status), ["completed", "completed", "completed"])
      assert.deepStrictEqual(
        [first, second, fake].map(({ calls }) => calls.map(({ to }) => to)),
        numbers.map((to) => [to])
      )
      for (const [index, { calls: [call] }] of [first, second, fake].entries()) {
        // What was said at this carrier is on record of this call.
        const said = call?.words.filter(({ speaker }) => speaker === "contact").map(CarrierEngine.wordsOf) ?? []
        assert.isNotEmpty(said)
        assert.includeDeepMembers(ended[index]?.outcome?.transcript.map(CarrierEngine.wordsOf) ?? [], said)
      }
      assert.include(second.calls[0]?.request.get("StatusCallback") ?? "", "/carriers/twilio-2/status/")
      const carriers = yield* Effect.promise(() => host.engine.carriers.list())
      assert.deepStrictEqual(carriers.map(({ name }) => name), ["telnyx", "twilio", "twilio-2"])
    }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer()), Effect.scoped))

  it.live("calls over the next carrier of the route when one cannot be reached", () =>
    Effect.gen(function*() {
      const other = yield* fakeTwilio(`AC${"3".repeat(32)}`)
      const fake = yield* FakeTelnyx.FakeTelnyx
      // Nothing listens there any more.
      const port = yield* Effect.scoped(FreePort.listen(createServer()))
      const host = yield* CarrierEngine.open((publicUrl) =>
        CarrierRouter.layer({
          carriers: [telnyx(fake, { publicUrl, apiUrl: `http://127.0.0.1:${port}` }), twilio(other, { publicUrl })],
          routes: [{ carrier: "telnyx", failover: ["twilio"] }]
        })
      )
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "completed")
      assert.deepStrictEqual(other.calls.map(({ to }) => to), ["+14155550101"])
    }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer()), Effect.scoped))
})
