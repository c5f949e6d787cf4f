/** Look-ups over a fake Twilio of calls that no callback has named. */
import { assert, describe, it } from "@effect/vitest"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Ids, PhoneNumber, type Telephony } from "@outdial/core"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { DateTime, Effect, Fiber, Redacted, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { callerId } from "../fake/CarrierEngine.ts"
import * as CarrierServices from "../fake/CarrierServices.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"

const opened = Effect.gen(function*() {
  const { accountSid, authToken, url } = yield* FakeTwilio.FakeTwilio
  const options = {
    accountSid,
    authToken: Redacted.make(authToken),
    apiUrl: url,
    publicUrl: "https://x.example",
    callerId
  }
  return yield* CarrierServices.build(TwilioTelephony.layer(options))
})

const phoneNumber = PhoneNumber.PhoneNumber.make("+14155550101")

/** Places a call at Twilio, as one whose response was lost. */
const place = (from: string) =>
  Effect.gen(function*() {
    const { accountSid, authToken, url } = yield* FakeTwilio.FakeTwilio
    const authorization = `Basic ${btoa(`${accountSid}:${authToken}`)}`
    const body = new URLSearchParams({ To: phoneNumber, From: from, Twiml: "<Response></Response>" })
    const response = yield* Effect.promise(() =>
      fetch(`${url}/2010-04-01/Accounts/${accountSid}/Calls.json`, { method: "POST", headers: { authorization }, body })
    )
    assert.strictEqual(response.status, 201)
  })

const callWith = (submittedAt: DateTime.Utc): Telephony.PlacedCall => ({
  accountId: Ids.AccountId.make("acct_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  callId: Ids.CallId.make("call_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  phoneNumber,
  submittedAt
})

const lost = (view: Telephony.CarrierView) => view._tag === "Ended" ? [view.event.result, view.event.code] : view._tag

const untilEnded = Effect.gen(function*() {
  const { calls } = yield* FakeTwilio.FakeTwilio
  yield* Effect.sync(() => calls.every(({ endedAt }) => endedAt !== undefined)).pipe(
    Effect.repeat({ until: (all) => all, schedule: Schedule.spaced("10 millis") })
  )
})

describe("a look-up without Twilio's id", () => {
  it.live("does not call a phone unknown that rings from another default number", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const { lookUp } = yield* opened
      yield* place("+14155550888")
      const call = callWith(yield* DateTime.now)
      assert.deepStrictEqual(yield* lookUp(call), { _tag: "Unreachable" })
      yield* twilio.end(twilio.calls[0]?.id ?? "")
      assert.deepStrictEqual(yield* lookUp(call), { _tag: "NotFound" })
    }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))

  it.effect("is over when all calls that it may be have ended, and the list can lack none", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.now())
      const { lookUp } = yield* opened
      yield* place(callerId)
      yield* place(callerId)
      yield* TestClock.withLive(untilEnded)
      const call = callWith(yield* DateTime.now)
      assert.deepStrictEqual(yield* lookUp(call), { _tag: "Unreachable" })
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(lost(yield* lookUp(call)), ["failed", "carrier_lost"])
    }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Busy" }) }))))
})

describe("a call of another time between the same numbers", () => {
  it.effect("is not looked up, and not hung up", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.now())
      const twilio = yield* FakeTwilio.FakeTwilio
      const { hangUp, lookUp } = yield* opened
      yield* place(callerId)
      const [other] = twilio.calls
      const now = yield* DateTime.now
      const call = callWith(now)
      const others = [DateTime.add(now, { seconds: 30 }), DateTime.subtract(now, { seconds: 90 })].map(callWith)
      for (const one of others) {
        yield* hangUp(one)
        assert.isUndefined(other?.endedAt)
        assert.deepStrictEqual(yield* lookUp(one), { _tag: "NotFound" })
      }
      const { submittedAt: _, ...unknown } = call
      yield* hangUp(unknown)
      assert.isUndefined(other?.endedAt)
      // One that was created as this one was submitted may be this one.
      assert.deepStrictEqual(yield* lookUp(call), { _tag: "Live" })
      yield* hangUp(call)
      assert.isDefined(other?.endedAt)
      assert.deepStrictEqual(yield* lookUp(call), { _tag: "Unreachable" })
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* lookUp(call))._tag, "Ended")
      for (const one of others) assert.deepStrictEqual(yield* lookUp(one), { _tag: "NotFound" })
    }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))
})

describe("a hang-up", () => {
  it.live("is repeated at once when Twilio answers with an error", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const { hangUp } = yield* opened
      yield* place(callerId)
      const [call] = twilio.calls
      const carrierCallId = Ids.CarrierCallId.make(call?.id ?? "")
      const asked = () => twilio.requests.filter((one) => one.startsWith("POST") && one.includes("/Calls/")).length
      yield* twilio.setCondition("faulty")
      const hanging = yield* Effect.forkChild(hangUp({ ...callWith(yield* DateTime.now), carrierCallId }))
      yield* Effect.sync(asked).pipe(
        Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("10 millis") })
      )
      yield* twilio.setCondition("well")
      yield* Fiber.join(hanging)
      assert.isDefined(call?.endedAt)
      assert.isAtLeast(asked(), 2)
    }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))
})

describe("a look-up by Twilio's id", () => {
  it.live("of a call that Twilio does not know ends when no call can live any more", () =>
    Effect.gen(function*() {
      const { lookUp } = yield* opened
      const carrierCallId = Ids.CarrierCallId.make(`CA${"0".repeat(32)}`)
      const now = yield* DateTime.now
      assert.deepStrictEqual(yield* lookUp({ ...callWith(now), carrierCallId }), { _tag: "Unreachable" })
      const yesterday = DateTime.subtract(now, { hours: 31 })
      assert.deepStrictEqual(lost(yield* lookUp({ ...callWith(yesterday), carrierCallId })), ["failed", "carrier_lost"])
    }).pipe(Effect.provide(CheckedTwilio.layer())))
})
