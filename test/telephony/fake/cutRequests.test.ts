/** Requests for calls whose connection is cut, at each byte of the request and of the response. */
import { assert, describe, it } from "@effect/vitest"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Ids, PhoneNumber, type Telephony } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import * as CarrierEngine from "./CarrierEngine.ts"
import * as CarrierServices from "./CarrierServices.ts"
import * as CheckedTwilio from "../twilio/CheckedTwilio.ts"

const publicUrl = "https://x.example"
const { callerId } = CarrierEngine

/** What the test needs of a fake. */
interface Fake {
  readonly calls: ReadonlyArray<unknown>
  readonly requests: ReadonlyArray<string>
  readonly fail: (fault: FakeTwilio.Fault) => void
}

type Opened = { readonly fake: Fake; readonly layer: ReturnType<typeof TelnyxTelephony.layer> }

const neverRings = { timings: { start: 600_000 } }

const twilio = Effect.map(Layer.build(CheckedTwilio.layer(neverRings)), (built): Opened => {
  const fake = Context.get(built, FakeTwilio.FakeTwilio)
  const { accountSid, authToken, url } = fake
  const account = { accountSid, authToken: Redacted.make(authToken), apiUrl: url }
  return { fake, layer: TwilioTelephony.layer({ ...account, publicUrl, callerId }) }
})

const telnyx = Effect.map(Layer.build(FakeTelnyx.FakeTelnyx.layer(neverRings)), (built): Opened => {
  const fake = Context.get(built, FakeTelnyx.FakeTelnyx)
  const { apiKey, connectionId, publicKey, url } = fake
  const account = { apiKey: Redacted.make(apiKey), connectionId, publicKey, apiUrl: url }
  return { fake, layer: TelnyxTelephony.layer({ ...account, publicUrl, callerId }) }
})

/** Of a call, by its number in the test. */
const requestOf = (index: number, now: DateTime.Utc): Telephony.DialRequest => ({
  accountId: Ids.AccountId.make("acct_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  callId: Ids.CallId.make(`call_01ARZ3NDEKTSV4RRFFQ6${String(index).padStart(6, "0")}`),
  phoneNumber: PhoneNumber.PhoneNumber.make("+14155550101"),
  contact: {},
  agent: Factories.agentBrief({}),
  dialBy: DateTime.add(now, { minutes: 1 })
})

/** Longer than all that either of them sends. */
const longest = 4_000

describe("a request for a call", () => {
  for (const [name, opened] of [["Twilio", twilio], ["Telnyx", telnyx]] as const) {
    it.live(`to ${name} that is cut at any byte, or whose response is, is sent once and may have rung`, () =>
      Effect.gen(function*() {
        const { fake, layer } = yield* opened
        const telephony = yield* CarrierServices.build(layer)
        const now = yield* DateTime.now
        let asked = 0
        const dial = (fault: FakeTwilio.Fault) =>
          Effect.gen(function*() {
            const before = fake.requests.length
            fake.fail(fault)
            const result = yield* Effect.result(telephony.dial(requestOf(asked++, now)))
            assert.strictEqual(fake.requests.length, before + 1)
            return result
          })
        // Until the whole response arrives.
        for (let bytes = 0;; bytes += 7) {
          const result = yield* dial({ cutAfter: bytes })
          if (result._tag === "Success") break
          assert.strictEqual(result.failure.reason, "unknown", `after ${bytes} bytes of the response`)
          assert.isBelow(bytes, longest)
        }
        const placed = fake.calls.length
        for (let bytes = 0; bytes < longest; bytes += 100) {
          const result = yield* dial({ cutRequestAfter: bytes })
          assert.strictEqual(result._tag === "Failure" ? result.failure.reason : "placed", "unknown")
        }
        const isLong = fake.calls.length - placed
        // Only those that had arrived as a whole.
        assert.isTrue(isLong > 0 && isLong < longest / 100)
      }))
  }
})
