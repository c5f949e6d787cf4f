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

/** An answered call whose relay was lost, and the webhook of that as well. */
const leftWith = Effect.fnUntraced(function*(holding: Parameters<typeof openedWith>[0]) {
  const telnyx = yield* FakeTelnyx.FakeTelnyx
  const { dial, lookUp } = yield* openedWith(holding)
  const now = yield* DateTime.now
  const placed = callWith(now)
  const { accountId, callId } = placed
  const dialBy = DateTime.add(now, { seconds: 10 })
  const agent = Factories.agentBrief()
  const carrierCallId = yield* dial({ accountId, agent, callId, contact: {}, dialBy, phoneNumber })
  const call = yield* eventually(() => telnyx.calls.find(({ status }) => status === "ringing"))
  const sessionEnds = (count: number) =>
    eventually(() =>
      telnyx.callbacks.filter(({ progress }) => progress === "session_ended").length === count ? true : undefined
    )
  yield* telnyx.answer(call.id)
  yield* sessionEnds(1)
  /** As the latest command has given it. */
  const state = () =>
    JSON.parse(
      Buffer.from(JSON.parse(telnyx.webhookOf(call, "call.answered")).data.payload.client_state, "base64").toString()
    )
  /** Transfers the call by a command that was sent at `transferredAt`. Returns the call to the number. */
  const transfer = Effect.fnUntraced(function*(transferredAt: number) {
    yield* sessionEnds(state().connections)
    const encoded = (of: object) => Buffer.from(JSON.stringify({ ...state(), ...of })).toString("base64")
    const body = JSON.stringify({
      to: "+14155550190",
      client_state: encoded({ transferredAt }),
      target_leg_client_state: encoded({ contact: call.id })
    })
    const headers = { authorization: `Bearer ${telnyx.apiKey}` }
    const url = `${telnyx.url}/v2/calls/${encodeURIComponent(call.id)}/actions/transfer`
    yield* Effect.promise(() => fetch(url, { method: "POST", headers, body }))
    return yield* eventually(() => telnyx.calls.find(({ endedAt, to }) => to !== phoneNumber && endedAt === undefined))
  })
  return {
    lookUp: Effect.suspend(() => lookUp({ ...placed, carrierCallId })),
    /** The commands that Telnyx was given for calls, in turn. */
    actions: () =>
      telnyx.requests.filter((request) => request.includes("/actions/")).map((request) => request.split("/").at(-1)),
    state,
    transfer
  }
})

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
        const { actions, lookUp, state } = yield* leftWith(holding)
        assert.deepStrictEqual(actions(), [])
        assert.deepStrictEqual(yield* lookUp, { _tag: "Live" })
        assert.deepStrictEqual(actions(), asked === undefined ? [] : [asked])
        if (asked === "conversation_relay_start") assert.strictEqual(state().connections, 2)
      }).pipe(fakeWith({ timings: { retry: 0 } })))
  }

  it.live("of a call whose transfer is over connects it again, once the call to the number must be listed", () =>
    Effect.gen(function*() {
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const { actions, lookUp, state, transfer } = yield* leftWith("left")
      const other = yield* transfer(Date.now() - 180_000)
      assert.deepStrictEqual(yield* lookUp, { _tag: "Live" })
      assert.deepStrictEqual(actions(), ["transfer"])
      yield* telnyx.end(other.id)
      assert.deepStrictEqual(yield* lookUp, { _tag: "Live" })
      assert.deepStrictEqual(actions(), ["transfer", "conversation_relay_start"])
      assert.deepStrictEqual([state().connections, state().transferredAt], [2, undefined])
      // As if the next one was not listed yet.
      const next = yield* transfer(Date.now())
      yield* telnyx.end(next.id)
      assert.deepStrictEqual(yield* lookUp, { _tag: "Live" })
      assert.deepStrictEqual(actions(), ["transfer", "conversation_relay_start", "transfer"])
    }).pipe(fakeWith({ timings: { retry: 0 } })))

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

  it.live("takes no other call for ours, also when Telnyx answers with one, to a look-up or to a dial", () =>
    Effect.gen(function*() {
      const { apiKey, calls, connectionId, url } = yield* FakeTelnyx.FakeTelnyx
      const { dial, lookUp } = yield* opened
      const now = yield* DateTime.now
      const { accountId, callId } = callWith(now)
      const theirs = Ids.CallId.make(callId.replace(/V$/, "W"))
      const request = {
        accountId,
        phoneNumber,
        contact: {},
        agent: Factories.agentBrief(),
        dialBy: DateTime.add(now, { minutes: 1 })
      }
      const carrierCallId = yield* dial({ ...request, callId: theirs })
      assert.strictEqual((yield* lookUp({ ...callWith(now), callId: theirs, carrierCallId }))._tag, "Live")
      assert.deepStrictEqual(yield* lookUp({ ...callWith(now), carrierCallId }), { _tag: "Unreachable" })
      // As if the id of our command were that of another call.
      const { client_state } = calls[0]?.request ?? {}
      const command = {
        connection_id: connectionId,
        to: phoneNumber,
        from: "+14155550100",
        command_id: `${callId} ${request.dialBy.epochMilliseconds}`,
        client_state
      }
      const headers = { authorization: `Bearer ${apiKey}` }
      yield* Effect.promise(() => fetch(`${url}/v2/calls`, { method: "POST", headers, body: JSON.stringify(command) }))
      assert.strictEqual((yield* Effect.flip(dial({ ...request, callId }))).reason, "unknown")
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
