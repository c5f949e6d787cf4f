/** An account that Telnyx refuses: its application is missing, or its bill is unpaid. */
import { assert, it } from "@effect/vitest"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { Calls, Carriers } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Effect, Layer, Logger, Redacted } from "effect"
import { decodeStart } from "../../../packages/core/test/support/CallSteps.ts"
import { callerId } from "../fake/CarrierEngine.ts"

const node = Layer.unwrap(
  Effect.map(FakeTelnyx.FakeTelnyx, ({ apiKey, connectionId, publicKey, url }) =>
    TestEngine.layer({
      lines: 20,
      telephony: TelnyxTelephony.layer({
        apiKey: Redacted.make(apiKey),
        connectionId,
        publicKey,
        apiUrl: url,
        // No webhook arrives.
        publicUrl: "http://127.0.0.1:9",
        callerId,
        callsPerSecond: 1
      }).pipe(Layer.orDie)
    }))
)

it.effect(
  "Telnyx is asked for no call while the application is missing or the bill is unpaid, and for all of them afterwards",
  () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const { accountId, agentId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const carriers = yield* Carriers.Carriers
      const dials = () => telnyx.requests.filter((request) => request === "POST /v2/calls").length
      const reason = Effect.map(carriers.list, ([carrier]) => carrier?.pause?.reason?.code)
      const pass = (seconds: number) =>
        Effect.forEach(Array.from({ length: seconds }), () => TestEngine.advance("1 second"), { discard: true })

      telnyx.account.hasApplication = false
      const numbers = ["+14155550101", "+14155550102", "+14155550103"]
      const started = yield* Effect.forEach(numbers, (phoneNumber) =>
        Effect.flatMap(
          decodeStart({ agentId, phoneNumber, variables: { topic: "your visit" } }),
          (request) => calls.start(accountId, request, {})
        ))
      yield* pass(10)
      const states = Effect.map(
        Effect.forEach(started, ({ id }) => calls.get(accountId, id)),
        (all) => all.map(({ status, statusCode }) => statusCode ?? status)
      )
      const held = numbers.map(() => "carrier_paused")
      assert.deepStrictEqual([yield* states, dials(), yield* reason], [held, 1, "10015"])

      // The application alone does not say that Telnyx takes calls.
      telnyx.account.hasApplication = true
      telnyx.account.credit = "-0.01"
      yield* pass(130)
      assert.deepStrictEqual([yield* states, dials()], [held, 1])

      telnyx.account.credit = "0.01"
      yield* pass(70)
      assert.deepStrictEqual(telnyx.calls.map(({ to }) => to).toSorted(), numbers)

      // The bill is unpaid again: the first call that is refused pauses the others, until it is paid.
      const before = dials()
      telnyx.account.credit = "0.00"
      const later = yield* Effect.forEach(["+14155550104", "+14155550107"], (phoneNumber) =>
        Effect.flatMap(
          decodeStart({ agentId, phoneNumber, variables: { topic: "your visit" } }),
          (request) => calls.start(accountId, request, {})
        ))
      yield* pass(150)
      const { statusCode } = yield* calls.get(accountId, later[0]?.id ?? assert.fail())
      assert.deepStrictEqual([dials() - before, statusCode, yield* reason], [1, "carrier_paused", "20100"])
    }).pipe(
      Effect.provide(node),
      Effect.provide([FakeTelnyx.FakeTelnyx.layer({ callee: () => ({ _tag: "Waits" }) }), Logger.layer([])])
    ),
  120_000
)
