/** A call belongs to the carrier that it was claimed for; no other node handles it. */
import { assert } from "@effect/vitest"
import { EventBodies, Ids, PhoneNumber } from "@outdial/core"
import { Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Setting from "../../storage/Fixture.ts"

const ours = Ids.CarrierName.make("ours")

const theirs = Ids.CarrierName.make("theirs")

/** A call that was claimed for the carrier and submitted at the start. */
const submittedFor = Effect.fnUntraced(function*(setting: Setting.Setting, carrier: Ids.CarrierName) {
  const { id: callId } = yield* Setting.start(setting)
  const token = Factories.token()
  yield* Setting.claim(setting, { token, carrier })
  const { accountId, storage } = setting
  yield* storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.start })
  return { callId, token }
})

const stale = (
  { accountId, storage }: Setting.Setting,
  carriers: ReadonlyArray<Ids.CarrierName>,
  seconds: number
) =>
  Effect.map(
    storage.dispatch.claimStaleCalls({ accountId, carriers, now: Factories.at(seconds), limit: 10 }),
    (calls) => calls.map(({ callId }) => callId)
  )

const isDueFor = ({ accountId, storage }: Setting.Setting, carriers: ReadonlyArray<Ids.CarrierName>, seconds: number) =>
  Effect.map(
    storage.work.accountsDue({ kind: "lease", carriers, now: Factories.at(seconds), limit: 10_000 }),
    (ids) => ids.includes(accountId)
  )

export const cases: Cases = {
  "stores the carrier with the claim, and keeps it when the call has ended": Effect.gen(function*() {
    const setting = yield* Setting.make()
    assert.isUndefined((yield* Setting.get(setting, (yield* Setting.start(setting)).id)).carrier)
    const { callId } = yield* submittedFor(setting, theirs)
    assert.strictEqual((yield* Setting.get(setting, callId)).carrier, theirs)
    yield* Setting.report(setting, callId, 20, Setting.talked(5, 20))
    assert.strictEqual((yield* Setting.get(setting, callId)).carrier, theirs)
  }),

  "forgets the carrier of a call that returns to the queue, and takes that of the next claim": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId, token } = yield* submittedFor(setting, theirs)
    yield* setting.storage.dispatch.returnToQueue({
      accountId: setting.accountId,
      callIds: [callId],
      token,
      now: Factories.at(1),
      reason: "carrier_unavailable",
      events: EventBodies.eventWriter(Factories.at(1))
    })
    assert.isUndefined((yield* Setting.get(setting, callId)).carrier)
    yield* Setting.claim(setting, { at: 3600, carrier: ours })
    assert.strictEqual((yield* Setting.get(setting, callId)).carrier, ours)
  }),

  "gives stale calls only to a node that has their carrier": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId } = yield* submittedFor(setting, theirs)
    assert.deepStrictEqual(
      yield* Effect.all([
        isDueFor(setting, [ours], 60),
        isDueFor(setting, [], 60),
        isDueFor(setting, [ours, theirs], 60)
      ]),
      [false, false, true]
    )
    assert.deepStrictEqual(yield* stale(setting, [ours], 60), [])
    assert.deepStrictEqual(yield* stale(setting, [], 60), [])
    assert.deepStrictEqual(yield* stale(setting, [ours, theirs], 60), [callId])
  }),

  "gives claims that were not submitted only to a node that has their carrier": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { id } = yield* Setting.start(setting)
    yield* Setting.claim(setting, { carrier: theirs })
    assert.deepStrictEqual(yield* stale(setting, [ours], 60), [])
    assert.deepStrictEqual(yield* stale(setting, [theirs], 60), [id])
  }),

  "gives a stale call with its number and the caller id that it was dialed with": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, agentId, storage } = setting
    const callerId = PhoneNumber.PhoneNumber.make("+14155550199")
    const put = (callerId: PhoneNumber.PhoneNumber) =>
      storage.agents.put({
        accountId,
        agent: Factories.agentDefinition({ id: agentId, callerId }),
        now: Factories.start
      })
    yield* put(callerId)
    const { phoneNumber } = yield* Setting.start(setting)
    yield* put(PhoneNumber.PhoneNumber.make("+14155550198"))
    yield* Setting.claim(setting)
    const calls = yield* storage.dispatch.claimStaleCalls({
      accountId,
      carriers: [Factories.carrier],
      now: Factories.at(60),
      limit: 10
    })
    assert.deepStrictEqual(calls.map((call) => [call.phoneNumber, call.callerId]), [[phoneNumber, callerId]])
  })
}
