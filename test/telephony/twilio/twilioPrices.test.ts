/** What Twilio charges for calls, over a fake Twilio: its price comes after the end, in the call resource alone. */
import { assert, it } from "@effect/vitest"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Calls, MemoryStorage, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { decodeStart } from "../../../packages/core/test/support/CallSteps.ts"
import { callerId } from "../fake/CarrierEngine.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"

const nodeOn = (options: Pick<TestEngine.TestEngineOptions, "storage"> = {}) =>
  Layer.unwrap(Effect.map(FakeTwilio.FakeTwilio, (twilio) =>
    TestEngine.layer({
      ...options,
      lines: 20,
      telephony: TwilioTelephony.layer({
        name: "twilio-eu",
        accountSid: twilio.accountSid,
        authToken: Redacted.make(twilio.authToken),
        apiUrl: twilio.url,
        // No callback arrives: calls are looked up.
        publicUrl: "http://127.0.0.1:9",
        callerId
      })
    })))

const start = Effect.fnUntraced(function*(phoneNumber: string) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* decodeStart({ agentId, phoneNumber, variables: { topic: "your visit" } })
  return { accountId, id: (yield* calls.start(accountId, request, {})).id }
})

const waits = CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) })

it.effect(
  "The cost of a call comes also when the process that has learned of its end has ended",
  () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const { calls } = yield* Storage.Storage
      const storage = Layer.succeed(Storage.Storage, yield* Storage.Storage)
      const { accountId, id } = yield* Effect.gen(function*() {
        const started = yield* start("+14155550101")
        yield* TestEngine.advance("5 seconds")
        for (const { id } of twilio.calls) yield* twilio.end(id)
        yield* TestEngine.advance("70 seconds")
        return started
      }).pipe(Effect.provide(nodeOn({ storage }), { local: true }))
      const stored = Effect.map(calls.get(accountId, id), Option.getOrThrow)
      const { cost, endedAt } = yield* stored
      assert.isDefined(endedAt)
      assert.isUndefined(cost)
      for (const call of twilio.calls) call.price = "0.00750"
      yield* TestEngine.advance("3 minutes").pipe(Effect.provide(nodeOn({ storage }), { local: true }))
      assert.deepStrictEqual((yield* stored).cost, { amount: "0.0075", currency: "USD" })
    }).pipe(Effect.provide([waits, MemoryStorage.layer, Logger.layer([])])),
  120_000
)

it.effect(
  "The cost of a call comes when Twilio has a price, and is asked for a few times",
  () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const ids = (yield* Effect.forEach(["+14155550101", "+14155550102", "+14155550103"], start)).map(({ id }) => id)
      yield* TestEngine.advance("5 seconds")
      assert.lengthOf(twilio.calls, 3)
      for (const { id } of twilio.calls) yield* twilio.end(id)
      yield* TestEngine.advance("70 seconds")
      const costs = Effect.forEach(
        ids,
        (id) => Effect.map(calls.get(accountId, id), ({ cost, endedAt }) => endedAt === undefined ? "live" : cost)
      )
      assert.deepStrictEqual(yield* costs, [undefined, undefined, undefined])

      const [first, second, third] = twilio.calls
      const asked = (id = "") => twilio.requests.filter((one) => one.startsWith("GET") && one.includes(id)).length
      const before = asked(first?.id)
      yield* TestEngine.advance("100 seconds")
      assert.strictEqual(asked(first?.id), before)
      if (first !== undefined) first.price = "0.00750"
      if (second !== undefined) second.price = "a lot"
      yield* TestEngine.advance("1 minute")
      assert.deepStrictEqual(yield* costs, [{ amount: "0.0075", currency: "USD" }, undefined, undefined])
      if (second !== undefined) second.price = "0.02"
      yield* twilio.setCondition("faulty")
      yield* TestEngine.advance("10 minutes")
      yield* twilio.setCondition("well")
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual((yield* costs)[1], { amount: "0.02", currency: "USD" })
      yield* TestEngine.advance("3 days")
      // Its price never came. It is asked for once more, because its process might have ended.
      assert.deepStrictEqual([asked(first?.id) - before, asked(second?.id) - before, asked(third?.id) - before], [
        1,
        3,
        5
      ])
      assert.isUndefined((yield* costs)[2])
    }).pipe(
      Effect.provide([
        Layer.provideMerge(nodeOn(), waits),
        Logger.layer([])
      ])
    ),
  120_000
)
