/** An account that Twilio refuses: nodes on one storage, over a fake Twilio. */
import { assert, it } from "@effect/vitest"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Call, Calls, Carriers, MemoryStorage, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import { callerId } from "../fake/CarrierEngine.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"

const numbers = Array.from({ length: 6 }, (_, index) => `+1415555${1000 + index}`)

it.effect(
  "Twilio is asked for no call while it refuses the account, and for all of them afterwards",
  () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const node = TestEngine.layer({
        lines: 20,
        storage,
        telephony: TwilioTelephony.layer({
          accountSid: twilio.accountSid,
          authToken: Redacted.make(twilio.authToken),
          apiUrl: twilio.url,
          // No callback arrives.
          publicUrl: "http://127.0.0.1:9",
          callerId
        })
      })
      const other = yield* Layer.build(Layer.fresh(node))
      const pass = (seconds: number) =>
        Effect.forEach(
          Array.from({ length: seconds }),
          () => Effect.andThen(TestEngine.advance("1 second"), Effect.provide(TestEngine.drain, other)),
          { discard: true }
        )
      yield* Effect.gen(function*() {
        const { accountId, agentId } = yield* TestEngine.Tenant
        const calls = yield* Calls.Calls
        const carriers = yield* Carriers.Carriers
        const start = (phoneNumber: string) =>
          Schema.decodeUnknownEffect(Call.StartCall)({ agentId, phoneNumber, variables: { topic: "your visit" } }).pipe(
            Effect.flatMap((request) => calls.start(accountId, request, {}))
          )
        const early = yield* Effect.forEach(numbers.slice(0, 2), start)
        yield* pass(3)
        assert.lengthOf(twilio.calls, 2)
        yield* twilio.setCondition("unauthorized")
        const late = yield* Effect.forEach(numbers.slice(2), start)
        yield* pass(30)
        const statuses = Effect.map(
          Effect.forEach([...early, ...late], ({ id }) => calls.get(accountId, id)),
          (all) => all.map(({ status, statusCode }) => statusCode ?? status)
        )
        const held = late.map(() => "carrier_paused")
        assert.deepStrictEqual(yield* statuses, ["dialing", "dialing", ...held])
        const requests = () => twilio.requests.filter((request) => !/Calls\/CA/.test(request))
        const before = requests().length
        assert.strictEqual(before, 2 + 1)
        const [carrier] = yield* carriers.list
        assert.deepStrictEqual([carrier?.pause?.by, carrier?.pause?.reason], [
          "fault",
          { code: "20003", message: "Authenticate" }
        ])

        yield* pass(60)
        const check = `GET /2010-04-01/Accounts/${twilio.accountSid}.json`
        assert.deepStrictEqual(requests().slice(before), [check])
        yield* twilio.setCondition("well")
        yield* pass(70)
        assert.deepStrictEqual(requests().slice(before, before + 2), [check, check])
        assert.deepStrictEqual(twilio.calls.map(({ to }) => to), numbers)
        assert.isEmpty((yield* statuses).filter((status) => status !== "dialing"))
      }).pipe(Effect.provide(node))
    }).pipe(
      Effect.provide([CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }), Logger.layer([])]),
      Effect.scoped
    ),
  120_000
)
