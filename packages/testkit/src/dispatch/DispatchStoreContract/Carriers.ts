/** A call belongs to the carrier that it was claimed for; no other node handles it. */
import { assert } from "@effect/vitest"
import { DialDecision, EventBodies, Ids, Lane, PhoneNumber } from "@outdial/core"
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

/** Runs the steps while the carrier is paused; other tests may share the storage. */
const whilePaused = <A, E, R>(
  { storage: { carriers } }: Fixture.Fixture,
  carrier: Ids.CarrierName,
  steps: Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    carriers.pause({ carrier, now: Factories.start, by: "fault" }),
    () => steps,
    () => Effect.ignore(carriers.resume({ carrier }))
  )

const isDueToDial = (
  { accountId, storage }: Fixture.Fixture,
  carriers: ReadonlyArray<Ids.CarrierName> | undefined
) =>
  Effect.map(
    storage.work.accountsDue({
      kind: "dial",
      now: Factories.start,
      limit: 10_000,
      ...(carriers !== undefined && { carriers })
    }),
    (ids) => ids.includes(accountId)
  )

const worker = (carriers: ReadonlyArray<Ids.CarrierName>, seconds: number) => ({
  id: Factories.workerId(),
  version: "1.0.0",
  runs: ["dispatcher"],
  carriers,
  startedAt: Factories.at(seconds),
  seenAt: Factories.at(seconds)
})

export const cases: Cases = {
  "claims nothing for a carrier that is paused, and all calls for another one": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [paused, other] = [Factories.carrierName(), Factories.carrierName()]
    const ids = [(yield* Fixture.start(fixture)).id, (yield* Fixture.start(fixture)).id]
    yield* whilePaused(
      fixture,
      paused,
      Effect.gen(function*() {
        const { claimed, isLocked, moved } = yield* Fixture.claim(fixture, { carrier: paused })
        assert.deepStrictEqual({ claimed, isLocked, moved }, { claimed: [], isLocked: false, moved: 0 })
        assert.deepStrictEqual(
          yield* Effect.forEach(
            // A lane that names no carrier is the first one's.
            [[paused], [paused, other], [other, paused], [other], [], undefined],
            (carriers) => isDueToDial(fixture, carriers)
          ),
          [false, false, true, true, true, true]
        )
        const elsewhere = yield* Fixture.claim(fixture, { carrier: other, limit: 1 })
        assert.deepStrictEqual(elsewhere.claimed.map(({ call }) => call.id), ids.slice(0, 1))
      })
    )
    const { claimed } = yield* Fixture.claim(fixture, { carrier: paused })
    assert.deepStrictEqual(claimed.map(({ call }) => call.id), ids.slice(1))
  }),

  "submits nothing for a carrier that was paused after the claim, and loses no call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const carrier = Factories.carrierName()
    const { id } = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { carrier, token })
    const submit = storage.dispatch.submit({ accountId, callIds: [id], token, now: Factories.start })
    yield* whilePaused(fixture, carrier, Effect.map(submit, (submitted) => assert.isEmpty([...submitted])))
    assert.deepStrictEqual([...yield* submit], [id])
    // The carrier has refused the account.
    yield* storage.dispatch.returnToQueue({
      accountId,
      callIds: [id],
      token,
      now: Factories.at(1),
      reason: "carrier_not_authorized",
      events: Fixture.eventsAt(1)
    })
    const { carrier: before, dueAt, status, unavailableCount } = yield* Fixture.get(fixture, id)
    assert.deepStrictEqual({ before, dueAt, status, unavailableCount }, {
      before: undefined,
      dueAt: Factories.at(1),
      status: "queued",
      unavailableCount: 0
    })
    assert.lengthOf((yield* Fixture.claim(fixture, { carrier, at: 1 })).claimed, 1)
  }),

  "holds the calls of a paused carrier as carrier_paused, unless a live worker has another one, and names the carriers of live workers":
    Effect.gen(
      function*() {
        const fixture = yield* Fixture.make()
        const { accountId, storage } = fixture
        const [paused, other] = [Factories.carrierName(), Factories.carrierName()]
        const { phoneNumber } = yield* Fixture.start(fixture)
        // Long after the heartbeats of other tests.
        const at = 50_000_000
        const isHeld = Effect.map(
          storage.calls.dialFacts({
            accountId,
            phoneNumbers: [phoneNumber],
            now: Factories.at(at),
            rules: Factories.rules,
            aliasesOf: Factories.aliasesOf
          }),
          ({ carrierPaused, runningCarriers }) => ({ carrierPaused, runningCarriers })
        )
        const workers = [worker([paused], at), worker([other], at - 30), worker([paused, other], at)]
        const found = yield* whilePaused(
          fixture,
          paused,
          Effect.forEach(workers, (worker) => Effect.andThen(storage.workers.put(worker), isHeld))
        )
        const running = [new Set([paused]), new Set([paused]), new Set([paused, other])]
        assert.deepStrictEqual(
          [...found, yield* isHeld],
          [
            ...[true, true, false].map((carrierPaused, index) => ({ carrierPaused, runningCarriers: running[index] })),
            { carrierPaused: false, runningCarriers: new Set([paused, other]) }
          ]
        )
        yield* Effect.forEach(workers, ({ id }) => storage.workers.remove(id))
      }
    ),

  "holds a call whose carrier no live worker has as carrier_missing, and claims it for no other carrier": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const [routed, other] = [Factories.carrierName(), Factories.carrierName()]
      const factsAt = (seconds: number, phoneNumbers: ReadonlyArray<PhoneNumber.PhoneNumber> = []) =>
        storage.calls.dialFacts({ accountId, phoneNumbers, now: Factories.at(seconds), rules: Factories.rules })
      const { account: { planVersion } } = yield* factsAt(0)
      const lane = Lane.make({ planVersion, timeZones: ["Etc/UTC"], carriers: [routed] })
      const { id, phoneNumber } = yield* Fixture.start(fixture, { lane })
      // Long after the heartbeats of other tests.
      const at = 50_000_000
      const isMissing = Effect.map(
        Effect.all([Fixture.get(fixture, id), factsAt(at, [phoneNumber])]),
        ([call, facts]) => DialDecision.isCarrierMissing(call, facts)
      )
      const workers = [worker([], at), worker([other], at), worker([other, routed], at)]
      const found = yield* Effect.forEach(workers, (one) => Effect.andThen(storage.workers.put(one), isMissing))
      assert.deepStrictEqual(found, [false, true, false])
      yield* Effect.forEach(workers, ({ id }) => storage.workers.remove(id))
      assert.isFalse(yield* isMissing)
      assert.isEmpty((yield* Fixture.claim(fixture, { carrier: other })).claimed)
      assert.isFalse(yield* isDueToDial(fixture, [other]))
      const { claimed: [first] } = yield* Fixture.claim(fixture, { carrier: routed })
      assert.deepStrictEqual([first?.call.id, first?.call.carrier], [id, routed])
    }
  ),

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
