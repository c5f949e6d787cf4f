/** Calls of several carriers: their lanes name the carrier that they are dialed over. */
import { assert } from "@effect/vitest"
import { type Call, EventBodies, Ids, Lane, Limits, PhoneNumber, PlanData, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

/** The lane over these carriers. */
const laneOver = Effect.fnUntraced(function*(
  { accountId, storage }: Fixture.Fixture,
  ...carriers: ReadonlyArray<Ids.CarrierName>
) {
  const { account } = yield* storage.calls.dialFacts({
    accountId,
    phoneNumbers: [],
    now: Factories.start,
    rules: Factories.rules
  })
  return Lane.make({ planVersion: account.planVersion, timeZones: ["Etc/UTC"], carriers })
})

const startMany = (fixture: Fixture.Fixture, count: number, overrides: Partial<Call.CallRecord>) =>
  Effect.forEach(Array.from({ length: count }), () => Fixture.start(fixture, overrides), { concurrency: 100 })

/** Runs the steps while the carrier is paused; other tests may share the storage. */
const whilePaused = <A, E, R>(
  { storage: { carriers } }: Fixture.Fixture,
  carrier: Ids.CarrierName,
  steps: Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    carriers.pause({ carrier, now: Factories.start, by: "operator" }),
    () => steps,
    () => Effect.ignore(carriers.resume({ carrier }))
  )

/** The calls that a claim for so many slots takes, with their carriers. */
const claimed = (fixture: Fixture.Fixture, slots: ReadonlyArray<readonly [Ids.CarrierName, number]>, at = 0) =>
  Effect.map(
    Fixture.claim(fixture, { at, carrier: slots[0]?.[0] ?? Factories.carrier, slots: new Map(slots) }),
    (result) => result.claimed.map(({ call: { carrier, id } }) => [id, carrier])
  )

const isDue = ({ accountId, storage }: Fixture.Fixture, options: Storage.DueOptions) =>
  Effect.map(
    storage.work.accountsDue({ kind: "dial", now: Factories.start, limit: 10_000, ...options }),
    (ids) => ids.includes(accountId)
  )

/** For a process without routes. */
const isDueOver = (fixture: Fixture.Fixture, ...carriers: ReadonlyArray<Ids.CarrierName>) =>
  isDue(fixture, { carriers })

/** Runs the steps while plan data with routes are adopted; other tests share the storage. */
const whileRoutesAreAdopted = <A, E, R>(
  { storage: { dispatch } }: Fixture.Fixture,
  version: string,
  steps: Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    dispatch.adoptPlanData({ version, now: Factories.start, isStarting: true }),
    () => steps,
    () =>
      Effect.ignore(dispatch.adoptPlanData({
        version: Factories.callId(),
        now: DateTime.addDuration(Factories.start, Limits.planDataLease),
        isStarting: true
      }))
  )

const twoCarriers = () => [Factories.carrierName(), Factories.carrierName()] as const

export const cases: Cases = {
  "claims each call for the carrier that its lane names, in the overall order, and no more than its slots": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ lines: 20 })
      const [one, other] = twoCarriers()
      const [ofOne, ofOther] = [yield* laneOver(fixture, one), yield* laneOver(fixture, other)]
      const start = (lane: Lane.Lane, seconds: number) =>
        Effect.map(Fixture.start(fixture, { lane, dueAt: Factories.at(seconds) }), ({ id }) => id)
      const first = yield* start(ofOne, -9)
      const second = yield* start(ofOther, -8)
      const third = yield* start(ofOne, -7)
      const fourth = yield* start(ofOther, -6)
      const bare = (yield* Fixture.start(fixture, { dueAt: Factories.at(-5) })).id
      assert.deepStrictEqual(yield* claimed(fixture, [[one, 0], [other, 0]]), [])
      assert.deepStrictEqual(yield* claimed(fixture, [[one, 1], [other, 9]]), [
        [first, one],
        [second, other],
        [fourth, other]
      ])
      // Without a route: over the first carrier.
      assert.deepStrictEqual(yield* claimed(fixture, [[one, Infinity], [other, 9]]), [[third, one], [bare, one]])
    }
  ),

  "leaves no call waiting behind those of a carrier that is paused or has no slots, however many there are": Effect
    .gen(function*() {
      const fixture = yield* Fixture.make({ lines: 20 })
      const [slow, free] = twoCarriers()
      const lane = yield* laneOver(fixture, slow)
      yield* startMany(fixture, 510, { lane, dueAt: Factories.at(-60) })
      const ofFree = { lane: yield* laneOver(fixture, free) }
      const carriersOf = (all: ReadonlyArray<ReadonlyArray<string | undefined>>) => all.map(([, carrier]) => carrier)
      const { id } = yield* Fixture.start(fixture, ofFree)
      assert.deepStrictEqual(yield* claimed(fixture, [[slow, 0], [free, 5]]), [[id, free]])
      yield* Fixture.start(fixture, ofFree)
      assert.deepStrictEqual(carriersOf(yield* claimed(fixture, [[slow, 2], [free, 5]])), [slow, slow, free])
      yield* Fixture.start(fixture, ofFree)
      yield* whilePaused(
        fixture,
        slow,
        Effect.gen(function*() {
          assert.deepStrictEqual(carriersOf(yield* claimed(fixture, [[slow, 5], [free, 5]])), [free])
          const { claimed: none, moved } = yield* Fixture.claim(fixture, { carrier: slow })
          assert.deepStrictEqual([none, moved], [[], 0])
        })
      )
    }),

  "claims for a node with one carrier no call of another's lane": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [one, other] = twoCarriers()
    const { id } = yield* Fixture.start(fixture, { lane: yield* laneOver(fixture, one, other) })
    assert.isEmpty((yield* Fixture.claim(fixture, { carrier: other })).claimed)
    const { claimed: [first] } = yield* Fixture.claim(fixture, { carrier: one })
    assert.deepStrictEqual([first?.call.id, first?.call.carrier], [id, one])
  }),

  "reads no carrier in a host's own lane, however it begins": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const one = Factories.carrierName()
    const { planVersion } = Lane.parts(yield* laneOver(fixture, one))
    for (const [index, name] of [">30 days", ">30;|days"].entries()) {
      const { id } = yield* Fixture.start(fixture, { lane: Lane.ofHost(Lane.Lane.make(name), { planVersion }) })
      assert.isTrue(yield* isDueOver(fixture, one))
      const { claimed } = yield* Fixture.claim(fixture, { carrier: one, at: index })
      assert.deepStrictEqual(claimed.map(({ call }) => [call.id, call.carrier]), [[id, one]])
    }
  }),

  "announces calls only to nodes that have the carrier of their lane, unless it is paused": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [one, other] = twoCarriers()
    yield* Fixture.start(fixture, { lane: yield* laneOver(fixture, one) })
    const isDue = Effect.all([
      isDueOver(fixture, one),
      isDueOver(fixture, other),
      isDueOver(fixture, other, one),
      isDueOver(fixture)
    ])
    assert.deepStrictEqual(yield* isDue, [true, false, true, true])
    assert.deepStrictEqual(yield* whilePaused(fixture, one, isDue), [false, false, false, true])
    assert.deepStrictEqual(yield* whilePaused(fixture, other, isDue), [true, false, true, true])
  }),

  "announces calls that wait for a slot of their carrier when it is free": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [one, other] = twoCarriers()
    // Before the data of other accounts.
    const long = -20_000_000
    yield* Fixture.start(fixture, { createdAt: Factories.at(long), lane: yield* laneOver(fixture, one) })
    const next = (dialsFrom: ReadonlyMap<Ids.CarrierName, DateTime.Utc>) =>
      Effect.map(fixture.storage.work.nextDueAt({ carriers: [one, other], dialsFrom }), Option.getOrThrow)
    const from = (carrier: Ids.CarrierName, seconds: number) => new Map([[carrier, Factories.at(long + seconds)]])
    assert.deepStrictEqual(
      yield* Effect.all([next(new Map()), next(from(other, 9)), next(from(one, 9)), next(from(one, -9))]),
      [Factories.at(long), Factories.at(long), Factories.at(long + 9), Factories.at(long)]
    )
    yield* Fixture.claim(fixture, { at: long, carrier: one })
  }),

  "names the carriers that are paused": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const [one, other] = twoCarriers()
    const facts = storage.calls.dialFacts({
      accountId,
      phoneNumbers: [],
      now: Factories.start,
      rules: Factories.rules
    })
    const { pausedCarriers } = yield* whilePaused(fixture, one, facts)
    assert.deepStrictEqual([pausedCarriers.has(one), pausedCarriers.has(other)], [true, false])
  }),

  "moves a call to its next carrier that is not paused, once one is unavailable": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const [one, two] = twoCarriers()
    const three = Factories.carrierName()
    const slots = [[one, 9], [two, 9], [three, 9]] as const
    const { id } = yield* Fixture.start(fixture, { lane: yield* laneOver(fixture, one, two, three) })
    const dialAt = Effect.fnUntraced(function*(seconds: number) {
      const token = Factories.token()
      const now = Factories.at(seconds)
      const { claimed: [first] } = yield* Fixture.claim(fixture, {
        at: seconds,
        carrier: one,
        slots: new Map(slots),
        token
      })
      yield* storage.dispatch.submit({ accountId, callIds: [id], token, now })
      yield* storage.dispatch.returnToQueue({
        accountId,
        callIds: [id],
        token,
        now,
        reason: "carrier_unavailable",
        events: EventBodies.eventWriter(now)
      })
      const { dueAt, statusCode } = yield* Fixture.get(fixture, id)
      return [first?.call.carrier, dueAt, statusCode]
    })
    const code = "carrier_unavailable"
    assert.deepStrictEqual(yield* dialAt(1), [one, Factories.at(1), code])
    // The round is over with the last carrier that is not paused: the first one is dialed again after a pause.
    const second = yield* whilePaused(fixture, three, dialAt(2))
    assert.deepStrictEqual(second, [two, Factories.at(4), code])
    assert.deepStrictEqual(yield* dialAt(4), [one, Factories.at(4), code])
    assert.deepStrictEqual(yield* dialAt(5), [two, Factories.at(5), code])
    assert.deepStrictEqual(yield* dialAt(6), [three, Factories.at(10), code])
    // Without the first carrier, a round begins with the second.
    assert.deepStrictEqual(yield* dialAt(10), [one, Factories.at(10), code])
    const last = yield* whilePaused(
      fixture,
      one,
      Effect.gen(function*() {
        yield* dialAt(11)
        assert.deepStrictEqual(yield* dialAt(12), [three, Factories.at(20), code])
        return yield* dialAt(20)
      })
    )
    assert.deepStrictEqual(last, [two, Factories.at(20), code])
    assert.strictEqual((yield* Fixture.get(fixture, id)).unavailableCount, 3)
  }),

  "moves a call back that has failed over to a carrier that is then paused, by a claim for which its account is due":
    Effect.gen(function*() {
      const fixture = yield* Fixture.make()
      const [one, two] = twoCarriers()
      const inOrder = yield* laneOver(fixture, one, two)
      const lane = Lane.failedOver(inOrder, new Set()) ?? inOrder
      const { id } = yield* Fixture.start(fixture, { lane })
      const claim = claimed(fixture, [[one, 9], [two, 9]])
      yield* whilePaused(
        fixture,
        two,
        Effect.gen(function*() {
          yield* whilePaused(
            fixture,
            one,
            Effect.gen(function*() {
              assert.isTrue(yield* isDueOver(fixture, one, two))
              assert.deepStrictEqual(yield* claim, [])
              assert.strictEqual((yield* Fixture.get(fixture, id)).lane, inOrder)
              assert.isFalse(yield* isDueOver(fixture, one, two))
            })
          )
          assert.deepStrictEqual(yield* claim, [[id, one]])
        })
      )
      const other = yield* Fixture.start(fixture, { lane })
      yield* whilePaused(
        fixture,
        two,
        Effect.gen(function*() {
          assert.isFalse(yield* isDueOver(fixture, one))
          // A claim for a node with one carrier dials no call of another one's.
          assert.deepStrictEqual((yield* Fixture.claim(fixture, { carrier: two })).claimed, [])
          assert.deepStrictEqual(yield* claim, [[other.id, one]])
        })
      )
    }),

  "plans a call again for a node with several carriers that a node without routes has planned, also once it has adopted its plan":
    Effect.gen(function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const [one, two] = twoCarriers()
      const [adopted, routed] = [Factories.callId(), Factories.callId()]
      const { planVersion } = Lane.parts(yield* laneOver(fixture, one))
      const plan = { planVersion, timeZones: ["Etc/UTC"] }
      const bare = Lane.make({ ...plan, planData: adopted })
      const own = Lane.make({ ...plan, planData: routed, carriers: [two] })
      yield* storage.dispatch.adoptPlanData({ version: adopted, now: Factories.start, isStarting: true })
      const { id } = yield* Fixture.start(fixture, { lane: bare })
      const { claimed } = yield* storage.dispatch.claimDue({
        accountId,
        carrier: one,
        slots: new Map([[one, 9], [two, 9]]),
        now: Factories.start,
        limit: 9,
        token: Factories.token(),
        rules: { ...Factories.rules, laneOf: () => own },
        planData: routed,
        events: EventBodies.eventWriter(Factories.start)
      })
      assert.deepStrictEqual(claimed.map(({ call }) => [call.id, call.lane, call.carrier]), [[id, own, two]])
    }),

  "plans calls again for a process with routes, although its first carrier is paused, and announces them to it alone":
    Effect.gen(function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const [one, two] = twoCarriers()
      const carriers = [one, two]
      yield* Fixture.start(fixture)
      const { claimed, due } = yield* whilePaused(
        fixture,
        one,
        Effect.gen(function*() {
          const due = [yield* isDue(fixture, { carriers, hasRoutes: true }), yield* isDue(fixture, { carriers })]
          const { claimed } = yield* storage.dispatch.claimDue({
            accountId,
            carrier: one,
            slots: new Map(carriers.map((carrier) => [carrier, 9])),
            now: Factories.start,
            limit: 9,
            token: Factories.token(),
            rules: {
              ...Factories.rules,
              laneOf: ({ planVersion }) =>
                Lane.make({ planVersion, planData: "routed", timeZones: ["Etc/UTC"], carriers: [two] })
            },
            planData: "routed",
            events: EventBodies.eventWriter(Factories.start)
          })
          return { claimed, due }
        })
      )
      assert.deepStrictEqual([due, claimed.map(({ call }) => call.carrier)], [[true, false], [two]])
    }),

  "leaves calls to processes with routes while theirs are adopted, but for those that they route over the own carrier":
    Effect.gen(function*() {
      const fixture = yield* Fixture.make({ lines: 20 })
      const { accountId, storage } = fixture
      const [own, other] = twoCarriers()
      const { planVersion } = Lane.parts(yield* laneOver(fixture, own))
      const [bare, routed] = [Factories.callId(), PlanData.make({ timeZones: Factories.callId(), routes: "1" })]
      const lane = (planData: string, ...carriers: ReadonlyArray<Ids.CarrierName>) =>
        Lane.make({ planVersion, planData, timeZones: ["Etc/UTC"], ...(carriers.length > 0 && { carriers }) })
      const lanes = [lane(bare), lane(bare, own), lane(routed, other), lane(routed, own)]
      const started = yield* Effect.forEach(lanes, (lane) => Fixture.start(fixture, { lane }))
      // As a process without routes, which leaves calls with their carriers when it plans them again.
      const claim = Effect.map(
        storage.dispatch.claimDue({
          accountId,
          carrier: own,
          now: Factories.start,
          limit: 9,
          token: Factories.token(),
          rules: {
            ...Factories.rules,
            laneOf: (_, { lane: before = lane(bare) }) => Lane.plannedBy(before, { planVersion, planData: bare })
          },
          planData: bare,
          events: EventBodies.eventWriter(Factories.start)
        }),
        ({ claimed, moved }) => ({ claimed: claimed.map(({ call }) => call.id), moved })
      )
      const due = isDueOver(fixture, own)
      const found = yield* whileRoutesAreAdopted(
        fixture,
        routed,
        Effect.all([due, claim, due, isDue(fixture, { carriers: [own], hasRoutes: true }), claim])
      )
      assert.deepStrictEqual(found, [
        true,
        { claimed: [started[3]?.id], moved: 0 },
        false,
        true,
        { claimed: [], moved: 0 }
      ])
      const after = yield* Effect.forEach(started.slice(0, 3), ({ id }) => Fixture.get(fixture, id))
      assert.deepStrictEqual(after.map(({ lane }) => lane), lanes.slice(0, 3))
      // When no process with routes is left, it goes by its own.
      assert.isTrue(yield* due)
      yield* storage.dispatch.replanCalls({
        accountId,
        now: Factories.start,
        limit: 10,
        rules: {
          laneOf: (_, { lane: before = lane(bare) }) => Lane.plannedBy(before, { planVersion, planData: bare })
        },
        events: EventBodies.eventWriter(Factories.start)
      })
      assert.strictEqual((yield* Fixture.get(fixture, started[2]?.id ?? Factories.callId())).lane, lane(bare, other))
      assert.deepStrictEqual(yield* claim, { claimed: started.slice(0, 2).map(({ id }) => id), moved: 0 })
      assert.isFalse(yield* due)
    }),

  "forgets how often the carriers of a call were unavailable, and its pause, when it is planned for others": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const [one, two] = twoCarriers()
      const inOrder = yield* laneOver(fixture, one, two)
      const [lane, later] = [Lane.failedOver(inOrder, new Set()) ?? inOrder, Factories.at(60)]
      const { id } = yield* Fixture.start(fixture, { lane, unavailableCount: 7, notBefore: later, dueAt: later })
      const planFor = Effect.fnUntraced(function*(...carriers: ReadonlyArray<Ids.CarrierName>) {
        yield* storage.accounts.update(accountId, { policy: Factories.openPolicy })
        const lane = yield* laneOver(fixture, ...carriers)
        yield* storage.dispatch.replanCalls({
          accountId,
          now: Factories.start,
          limit: 10,
          rules: { laneOf: () => lane },
          events: EventBodies.eventWriter(Factories.start)
        })
        const { dueAt, notBefore, unavailableCount } = yield* Fixture.get(fixture, id)
        return { dueAt, notBefore, unavailableCount }
      })
      assert.deepStrictEqual(yield* planFor(one, two), { dueAt: later, notBefore: later, unavailableCount: 7 })
      assert.deepStrictEqual(yield* planFor(two), {
        dueAt: Factories.start,
        notBefore: undefined,
        unavailableCount: 0
      })
    }
  ),

  "gives a stale call with its carrier": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const [one, other] = twoCarriers()
    yield* Fixture.start(fixture, { lane: yield* laneOver(fixture, other) })
    yield* claimed(fixture, [[one, 1], [other, 1]])
    const stale = yield* storage.dispatch.claimStaleCalls({
      accountId,
      carriers: [one, other],
      now: Factories.at(60),
      limit: 10
    })
    assert.deepStrictEqual(stale.map(({ carrier }) => carrier), [other])
  }),

  "replans a call by the caller id of the agent's version that it was accepted with": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, agentId, storage } = fixture
    const callerId = PhoneNumber.PhoneNumber.make("+14155550199")
    const agent = Factories.agentDefinition({ id: agentId })
    yield* storage.agents.put({ accountId, agent: { ...agent, callerId }, now: Factories.start })
    yield* Fixture.start(fixture)
    yield* storage.agents.put({ accountId, agent, now: Factories.start })
    yield* storage.accounts.update(accountId, { policy: Factories.openPolicy })
    const seen: Array<string | undefined> = []
    yield* storage.dispatch.replanCalls({
      accountId,
      now: Factories.start,
      limit: 10,
      rules: {
        laneOf: (account, call) => {
          seen.push(call.callerId)
          return Factories.rules.laneOf(account, call)
        }
      },
      events: EventBodies.eventWriter(Factories.start)
    })
    assert.deepStrictEqual(seen, [callerId])
  })
}
