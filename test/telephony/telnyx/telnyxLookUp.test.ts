/** Look-ups over a fake Telnyx whose list of webhooks shows no call's name, as in Telnyx's own example. */
import { assert, describe, it } from "@effect/vitest"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { Ids, PhoneNumber, type Telephony } from "@outdial/core"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Redacted } from "effect"
import { eventually } from "../fake/CarrierEngine.ts"
import * as CarrierServices from "../fake/CarrierServices.ts"

const phoneNumber = PhoneNumber.PhoneNumber.make("+14155550101")

const openedWith = Effect.fnUntraced(function*(holding?: Parameters<typeof CarrierServices.build>[1]) {
  const { apiKey, connectionId, publicKey, url } = yield* FakeTelnyx.FakeTelnyx
  const options = {
    apiKey: Redacted.make(apiKey),
    connectionId,
    publicKey,
    apiUrl: url,
    // Nothing answers there: no relay is connected, and no webhook arrives.
    publicUrl: "http://127.0.0.1:9",
    callerId: PhoneNumber.PhoneNumber.make("+14155550100")
  }
  return yield* CarrierServices.build(TelnyxTelephony.layer(options), holding)
})

const opened = openedWith()

/** Another call to the number, with no state of ours. Returns Telnyx's id of it. */
const placeAnother = Effect.gen(function*() {
  const { apiKey, calls, connectionId, url } = yield* FakeTelnyx.FakeTelnyx
  const body = JSON.stringify({ connection_id: connectionId, to: phoneNumber, from: "+14155550100" })
  const headers = { authorization: `Bearer ${apiKey}` }
  yield* Effect.promise(() => fetch(`${url}/v2/calls`, { method: "POST", headers, body }))
  return yield* eventually(() => calls.at(-1))
})

const callWith = (submittedAt: DateTime.Utc): Telephony.PlacedCall => ({
  accountId: Ids.AccountId.make("acct_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  callId: Ids.CallId.make("call_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  phoneNumber,
  submittedAt
})

const lost = (view: Telephony.CarrierView) => view._tag === "Ended" ? [view.event.result, view.event.code] : view._tag

const fakeWith = (options: FakeTelnyx.FakeTelnyxOptions) =>
  Effect.provide(FakeTelnyx.FakeTelnyx.layer({ callee: () => ({ _tag: "Waits" }), ...options }))

describe("a look-up at Telnyx", () => {
  for (
    const [holding, asked] of [
      ["left", "conversation_relay_start"],
      ["over", "hangup"],
      ["held", undefined],
      ["none", undefined]
    ] as const
  ) {
    it.live(`of a call that is alive, and whose conversation is ${holding}, asks for ${asked ?? "nothing"}`, () =>
      Effect.gen(function*() {
        const telnyx = yield* FakeTelnyx.FakeTelnyx
        const { dial, lookUp } = yield* openedWith(holding)
        const now = yield* DateTime.now
        const { accountId, callId } = callWith(now)
        const dialBy = DateTime.add(now, { seconds: 10 })
        const agent = Factories.agentBrief()
        const carrierCallId = yield* dial({ accountId, agent, callId, contact: {}, dialBy, phoneNumber })
        const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "ringing"))
        yield* telnyx.answer(call.id)
        yield* eventually(() => telnyx.callbacks.find(({ progress }) => progress === "session_ended"))
        const actions = () => telnyx.requests.filter((request) => request.includes("/actions/"))
        assert.deepStrictEqual(actions(), [])
        assert.deepStrictEqual(yield* lookUp({ ...callWith(now), carrierCallId }), { _tag: "Live" })
        assert.deepStrictEqual(
          actions().map((request) => request.split("/").at(-1)),
          asked === undefined ? [] : [asked]
        )
        if (asked !== "conversation_relay_start") return
        // As its state says then; the relay is lost again.
        const state = JSON.parse(telnyx.webhookOf(call, "call.answered")).data.payload.client_state
        assert.strictEqual(JSON.parse(Buffer.from(state, "base64").toString()).connections, 2)
      }).pipe(fakeWith({ timings: { retry: 0 } })))
  }

  it.live("takes no other call to the number for ours, and is over when nothing can ring any more", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const { lookUp } = yield* opened
      const now = yield* DateTime.now
      const ofNow = callWith(now)
      const earlier = callWith(DateTime.subtract(now, { minutes: 3 }))
      assert.deepStrictEqual(yield* lookUp(ofNow), { _tag: "NotFound" })
      const other = yield* placeAnother
      yield* eventually(() => other.status === "ringing" ? true : undefined)
      assert.deepStrictEqual([yield* lookUp(ofNow), yield* lookUp(earlier)].map(lost), ["Unreachable", "Unreachable"])
      yield* telnyx.end(other.id)
      assert.deepStrictEqual(lost(yield* lookUp(ofNow)), "Unreachable")
      assert.deepStrictEqual(lost(yield* lookUp(earlier)), ["failed", "carrier_lost"])
      // What was there long before the call is not of it.
      assert.deepStrictEqual(yield* lookUp(callWith(DateTime.add(now, { minutes: 10 }))), { _tag: "NotFound" })
    }).pipe(fakeWith({ hidesMetadata: true })))

  it.live("does not mind other calls where the list names them", () =>
    Effect.gen(function*() {
      const { lookUp } = yield* opened
      const other = yield* placeAnother
      yield* eventually(() => other.status === "ringing" ? true : undefined)
      assert.deepStrictEqual(yield* lookUp(callWith(yield* DateTime.now)), { _tag: "NotFound" })
    }).pipe(fakeWith({})))

  it.live("by Telnyx's id ends when Telnyx does not know it and no call can live any more", () =>
    Effect.gen(function*() {
      const { lookUp } = yield* opened
      const carrierCallId = Ids.CarrierCallId.make("v3:unknown")
      const now = yield* DateTime.now
      assert.deepStrictEqual(lost(yield* lookUp({ ...callWith(now), carrierCallId })), "Unreachable")
      const yesterday = DateTime.subtract(now, { hours: 6 })
      assert.deepStrictEqual(lost(yield* lookUp({ ...callWith(yesterday), carrierCallId })), ["failed", "carrier_lost"])
    }).pipe(fakeWith({})))
})
