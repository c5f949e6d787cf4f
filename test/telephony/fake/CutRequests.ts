/** Requests for calls whose connection is cut after some byte of the request or of the response, heads included. */
import { assert, describe, it } from "@effect/vitest"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Ids, PhoneNumber, type Telephony } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import * as CheckedTwilio from "../twilio/CheckedTwilio.ts"
import * as CarrierEngine from "./CarrierEngine.ts"
import * as CarrierServices from "./CarrierServices.ts"
import * as CuttingProxy from "./CuttingProxy.ts"

const publicUrl = "https://x.example"
const { callerId } = CarrierEngine

/** What the test needs of a fake. */
interface Fake {
  readonly url: string
  readonly calls: ReadonlyArray<unknown>
  readonly requests: ReadonlyArray<string>
}

type Opened = { readonly fake: Fake; readonly layerAt: (apiUrl: string) => ReturnType<typeof TelnyxTelephony.layer> }

const neverRings = { timings: { start: 600_000 } }

const twilio = Effect.map(Layer.build(CheckedTwilio.layer(neverRings)), (built): Opened => {
  const fake = Context.get(built, FakeTwilio.FakeTwilio)
  const account = { accountSid: fake.accountSid, authToken: Redacted.make(fake.authToken) }
  return { fake, layerAt: (apiUrl) => TwilioTelephony.layer({ ...account, apiUrl, publicUrl, callerId }) }
})

const telnyx = Effect.map(Layer.build(FakeTelnyx.FakeTelnyx.layer(neverRings)), (built): Opened => {
  const fake = Context.get(built, FakeTelnyx.FakeTelnyx)
  const account = {
    apiKey: Redacted.make(fake.apiKey),
    connectionId: fake.connectionId,
    publicKey: fake.publicKey
  }
  return { fake, layerAt: (apiUrl) => TelnyxTelephony.layer({ ...account, apiUrl, publicUrl, callerId }) }
})

/** Of a call, by its number in the test. */
const requestOf = (index: number, now: DateTime.Utc): Telephony.DialRequest => ({
  accountId: Ids.AccountId.make("acct_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  callId: Ids.CallId.make(`call_01ARZ3NDEKTSV4RRFFQ6${String(index).padStart(6, "0")}`),
  phoneNumber: PhoneNumber.PhoneNumber.make("+14155550101"),
  contact: {},
  agent: Factories.agentBrief({}),
  dialBy: DateTime.add(now, { hours: 1 })
})

/** From nothing to all bytes but one, in these steps. */
const placesOf = (total: number, step: number) =>
  Array.from({ length: Math.ceil((total - 1) / step) }, (_, index) => index * step).concat(total - 1)

/** `step`: how many bytes there are between the places where connections are cut. */
export const run = ({ step }: { readonly step: Readonly<Record<CuttingProxy.Cut["of"], number>> }): void => {
  describe("a request for a call", () => {
    for (const [name, opened] of [["Twilio", twilio], ["Telnyx", telnyx]] as const) {
      it.live(
        `to ${name} that is cut at any byte, or whose response is, is sent once and may have rung`,
        () =>
          Effect.gen(function*() {
            const { fake, layerAt } = yield* opened
            const now = yield* DateTime.now
            let asked = 0
            const proxied = Effect.gen(function*() {
              const proxy = yield* CuttingProxy.make(fake.url)
              const telephony = yield* CarrierServices.build(layerAt(proxy.url))
              /** What the dial says. It opens one connection. */
              const dial = Effect.fnUntraced(function*(cut?: CuttingProxy.Cut) {
                const connections = proxy.connections()
                proxy.cut(cut)
                const result = yield* Effect.result(telephony.dial(requestOf(asked++, now)))
                assert.strictEqual(proxy.connections(), connections + 1, JSON.stringify(cut))
                return result._tag === "Success" ? "placed" : result.failure.reason
              })
              return { dial, proxy }
            })
            const whole = yield* proxied
            assert.strictEqual(yield* whole.dial(), "placed")
            // The connection above would be used again.
            const { dial } = yield* proxied
            for (const  of of["request", "response"] as const) {
              const placed = fake.calls.length
              const places = placesOf(whole.proxy.passed()[of], step[of])
              for (const after of places) {
                assert.strictEqual(yield* dial({ of, after }), "unknown", `after ${after} bytes of the ${of}`)
              }
              // What is not whole does not arrive; the phone of what is rings, also if no answer comes back.
              assert.strictEqual(fake.calls.length - placed, of === "request" ? 0 : places.length)
            }
            assert.strictEqual(yield* dial({ of: "response", after: whole.proxy.passed().response }), "placed")
            assert.isAtMost(fake.requests.length, asked)
          }),
        300_000
      )
    }
  })
}
