/** A call belongs to the carrier that it was claimed for; no other node handles it. */
import { assert } from "@effect/vitest"
import { EventBodies, Ids, PhoneNumber } from "@outdial/core"
import { Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"
import * as Steps from "../../storage/CarrierSteps.ts"

const ours = Ids.CarrierName.make("ours")

const theirs = Ids.CarrierName.make("theirs")

const isDueFor = ({ accountId, storage }: Fixture.Fixture, carriers: ReadonlyArray<Ids.CarrierName>, seconds: number) =>
  Effect.map(
    storage.work.accountsDue({ kind: "lease", carriers, now: Factories.at(seconds), limit: 10_000 }),
    (ids) => ids.includes(accountId)
  )

export const cases: Cases = {
  "stores the carrier with the claim, and keeps it when the call has ended": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    assert.isUndefined((yield* Fixture.get(fixture, (yield* Fixture.start(fixture)).id)).carrier)
    const { callId } = yield* Steps.submittedFor(fixture, theirs)
    assert.strictEqual((yield* Fixture.get(fixture, callId)).carrier, theirs)
    yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
    assert.strictEqual((yield* Fixture.get(fixture, callId)).carrier, theirs)
  }),

  "clears the carrier of a call that returns to the queue, and stores that of the next claim": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId, token } = yield* Steps.submittedFor(fixture, theirs)
    yield* fixture.storage.dispatch.returnToQueue({
      accountId: fixture.accountId,
      callIds: [callId],
      token,
      now: Factories.at(1),
      reason: "carrier_unavailable",
      events: EventBodies.eventWriter(Factories.at(1))
    })
    assert.isUndefined((yield* Fixture.get(fixture, callId)).carrier)
    yield* Fixture.claim(fixture, { at: 3600, carrier: ours })
    assert.strictEqual((yield* Fixture.get(fixture, callId)).carrier, ours)
  }),

  "gives stale calls only to a node that has their carrier": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Steps.submittedFor(fixture, theirs)
    assert.deepStrictEqual(
      yield* Effect.all([
        isDueFor(fixture, [ours], 60),
        isDueFor(fixture, [], 60),
        isDueFor(fixture, [ours, theirs], 60)
      ]),
      [false, false, true]
    )
    assert.deepStrictEqual(yield* Steps.stale(fixture, [ours], 60), [])
    assert.deepStrictEqual(yield* Steps.stale(fixture, [], 60), [])
    assert.deepStrictEqual(yield* Steps.stale(fixture, [ours, theirs], 60), [callId])
  }),

  "gives claims that were not submitted only to a node that has their carrier": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { id } = yield* Fixture.start(fixture)
    yield* Fixture.claim(fixture, { carrier: theirs })
    assert.deepStrictEqual(yield* Steps.stale(fixture, [ours], 60), [])
    assert.deepStrictEqual(yield* Steps.stale(fixture, [theirs], 60), [id])
  }),

  "gives a stale call with its number and the caller id that it was dialed with": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, agentId, storage } = fixture
    const callerId = PhoneNumber.PhoneNumber.make("+14155550199")
    const put = (callerId: PhoneNumber.PhoneNumber) =>
      storage.agents.put({
        accountId,
        agent: Factories.agentDefinition({ id: agentId, callerId }),
        now: Factories.start
      })
    yield* put(callerId)
    const { phoneNumber } = yield* Fixture.start(fixture)
    yield* put(PhoneNumber.PhoneNumber.make("+14155550198"))
    yield* Fixture.claim(fixture)
    const calls = yield* storage.dispatch.claimStaleCalls({
      accountId,
      carriers: [Factories.carrier],
      now: Factories.at(60),
      limit: 10
    })
    assert.deepStrictEqual(calls.map((call) => [call.phoneNumber, call.callerId]), [[phoneNumber, callerId]])
  })
}
