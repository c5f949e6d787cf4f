/** Replanning of calls: by another policy, or by other plan data. */
import { assert } from "@effect/vitest"
import { type Call, EventBodies, Ids, Lane, PlanData, type Policy } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const hour = 3600

/** Open from 09:00 to 12:00; `Factories.start` is 10:00 on a Monday. */
const morning: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: { mon: [{ start: "09:00", end: "12:00" }], tue: [{ start: "09:00", end: "12:00" }] }
}

const startMany = (fixture: Fixture.Fixture, count: number, overrides: Partial<Call.CallRecord> = {}) =>
  Effect.forEach(Array.from({ length: count }), () => Fixture.start(fixture, overrides))

const facts = ({ accountId, storage }: Fixture.Fixture, at: number) =>
  storage.calls.dialFacts({ accountId, phoneNumbers: [], now: Factories.at(at), rules: Factories.rules })

/** Replans the due calls; returns how many. */
const replan = ({ accountId, storage }: Fixture.Fixture, at: number, rules: Data["rules"] = Factories.rules) => {
  const now = Factories.at(at)
  return storage.dispatch.replanCalls({ accountId, now, limit: 100, rules, events: EventBodies.eventWriter(now) })
}

/** Plan data, with the rules of an engine that has them. */
interface Data {
  readonly version: string
  readonly lane: Lane.Lane
  readonly rules: typeof Factories.rules
}

/** Two releases that no other test uses. */
const dataOf = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { account: { planVersion } } = yield* facts(fixture, 0)
  const data = (): Data => {
    const version = Factories.callId()
    const lane = Lane.make({ planVersion, planData: version, timeZones: ["Etc/UTC"] })
    return { version, lane, rules: { ...Factories.rules, laneOf: () => lane } }
  }
  return { older: data(), newer: data() }
})

const adopt = ({ storage }: Fixture.Fixture, { version }: Data, at: number) =>
  storage.dispatch.adoptPlanData({ version, now: Factories.at(at), isStarting: true })

const claimBy = ({ accountId, storage }: Fixture.Fixture, { rules, version: planData }: Data) =>
  storage.dispatch.claimDue({
    carrier: Factories.carrier,
    accountId,
    now: Factories.start,
    limit: 1,
    token: Factories.token(),
    rules,
    planData,
    events: EventBodies.eventWriter(Factories.start)
  })

export const cases: Cases = {
  "replans queued calls when the policy changes: in other lanes, and due as soon as they may be": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const held = yield* Fixture.start(fixture, { dueAt: Factories.at(hour), statusCode: "recall_gap" })
      const asked = yield* Fixture.start(fixture, {
        notBefore: Factories.at(hour),
        dueAt: Factories.at(hour),
        statusCode: "not_before"
      })
      yield* storage.accounts.update(accountId, { policy: morning })
      const { account: { planVersion } } = yield* facts(fixture, 0)
      assert.isTrue(yield* Fixture.isDue(fixture, "plan", 0))
      assert.isFalse(yield* Fixture.isDue(fixture, "dial", 0))
      assert.strictEqual(yield* replan(fixture, 0), 2)
      const lane = Lane.make({ planVersion, timeZones: ["Etc/UTC"] })
      assert.deepStrictEqual(yield* Fixture.get(fixture, asked.id), { ...asked, lane })
      const { dueAt, lane: ofHeld } = yield* Fixture.get(fixture, held.id)
      assert.deepStrictEqual({ dueAt, lane: ofHeld }, { dueAt: Factories.start, lane })
      assert.isTrue(yield* Fixture.isDue(fixture, "dial", 0))
    }
  ),

  "dials a call that is due by the current plan, however many calls are to be replanned": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const calls = yield* startMany(fixture, 30)
    yield* fixture.storage.accounts.update(fixture.accountId, { policy: morning })
    const { claimed: [first] } = yield* Fixture.claim(fixture, { limit: 1 })
    const { account: { planVersion } } = yield* facts(fixture, 0)
    assert.strictEqual(first?.call.id, calls[0]?.id)
    assert.strictEqual(first?.call.lane, Lane.make({ planVersion, timeZones: ["Etc/UTC"] }))
    assert.strictEqual((yield* Fixture.claim(fixture, { at: 1 })).claimed.length, 4)
  }),

  "holds by the current policy a call that was due by the previous one": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* startMany(fixture, 3)
    yield* fixture.storage.accounts.update(fixture.accountId, { policy: morning })
    const evening = 10 * hour
    assert.deepStrictEqual(yield* Fixture.claim(fixture, { at: evening }), { claimed: [], moved: 3, isLocked: false })
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 23 * hour - 1))
  }),

  "serves accounts with due calls, however much other accounts have to replan": Effect.gen(function*() {
    const fixtures = yield* Effect.forEach([1, 2, 3], () => Fixture.make())
    yield* Effect.forEach(fixtures, (fixture) => Fixture.start(fixture))
    const { storage } = yield* Fixture.make()
    const others = fixtures.slice(1)
    yield* Effect.forEach(others, ({ accountId }) => storage.accounts.update(accountId, { policy: morning }))
    const served: Array<Ids.AccountId> = []
    let after = Ids.AccountId.make("acct_0")
    const turns = (yield* storage.accounts.list).length
    for (let turn = 0; turn < turns; turn++) {
      const [next] = yield* storage.work.accountsDue({ kind: "dial", now: Factories.start, limit: 1, after })
      if (next === undefined) break
      served.push(next)
      after = next
    }
    for (const { accountId } of fixtures) assert.include(served, accountId)
  }),

  "replans a call with a lane name in another format once, and never fails": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { newer } = yield* dataOf(fixture)
      yield* adopt(fixture, newer, 0)
      const { id } = yield* Fixture.start(fixture, { lane: Lane.Lane.make("a host's own") })
      assert.isTrue(yield* Fixture.isDue(fixture, "plan", 0))
      assert.strictEqual(yield* replan(fixture, 0, newer.rules), 1)
      assert.strictEqual((yield* Fixture.get(fixture, id)).lane, newer.lane)
      assert.isFalse(yield* Fixture.isDue(fixture, "plan", 0))
      assert.strictEqual(yield* replan(fixture, 0, newer.rules), 0)
    }
  ),

  "replans calls that were planned by other plan data, also calls that arrive after its adoption": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { older, newer } = yield* dataOf(fixture)
      yield* adopt(fixture, older, 0)
      const waiting = yield* Fixture.start(fixture, { lane: older.lane })
      assert.isFalse(yield* Fixture.isDue(fixture, "plan", 0))
      yield* adopt(fixture, newer, 1)
      const late = yield* Fixture.start(fixture, { lane: older.lane })
      assert.isTrue(yield* Fixture.isDue(fixture, "plan", 1))
      assert.strictEqual(yield* replan(fixture, 1, newer.rules), 2)
      assert.isFalse(yield* Fixture.isDue(fixture, "plan", 1))
      assert.strictEqual((yield* Fixture.get(fixture, waiting.id)).lane, newer.lane)
      assert.strictEqual((yield* Fixture.get(fixture, late.id)).lane, newer.lane)
    }
  ),

  "dials calls that were planned by other plan data by the adopted data": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { older, newer } = yield* dataOf(fixture)
    yield* adopt(fixture, newer, 0)
    yield* Fixture.start(fixture, { lane: older.lane })
    const { claimed } = yield* claimBy(fixture, newer)
    assert.deepStrictEqual(claimed.map(({ call }) => call.lane), [newer.lane])
  }),

  "does not let a process with other plan data undo plans by the adopted data": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const { older, newer } = yield* dataOf(fixture)
    yield* adopt(fixture, newer, 0)
    const theirs = yield* Fixture.start(fixture, { lane: newer.lane })
    const ours = yield* Fixture.start(fixture, { lane: older.lane })
    const { claimed, moved } = yield* claimBy(fixture, older)
    assert.strictEqual(claimed.length + moved, 1)
    assert.strictEqual((yield* Fixture.get(fixture, theirs.id)).lane, newer.lane)
    assert.strictEqual((yield* Fixture.get(fixture, ours.id)).lane, older.lane)
  }),

  "adopts the plan data of the last process to start, and others only when no process with the adopted ones is left":
    Effect.gen(
      function*() {
        const { storage } = yield* Fixture.make()
        const [one, other] = [Factories.callId(), Factories.callId()]
        const adopted = (version: string, seconds: number, isStarting: boolean) =>
          Effect.map(
            storage.dispatch.adoptPlanData({ version, now: Factories.at(seconds), isStarting }),
            (inUse) => inUse === version
          )
        assert.isTrue(yield* adopted(one, 0, true))
        assert.isFalse(yield* adopted(other, 1, false))
        assert.isTrue(yield* adopted(other, 2, true))
        assert.isFalse(yield* adopted(one, 3, false))
        assert.isTrue(yield* adopted(other, 50, false))
        assert.isFalse(yield* adopted(one, 109.999, false))
        assert.isTrue(yield* adopted(one, 110, false))
        assert.isFalse(yield* adopted(other, 111, false))
      }
    ),

  "adopts data with routes in place of data without at any time, and never the reverse while a process with them is live":
    Effect.gen(function*() {
      const { storage } = yield* Fixture.make()
      const bare = Factories.callId()
      const [routed, other] = ["1", "2"].map((routes) => PlanData.make({ timeZones: Factories.callId(), routes })) as [
        string,
        string
      ]
      const adopt = (version: string, seconds: number, isStarting = false) =>
        storage.dispatch.adoptPlanData({ version, now: Factories.at(seconds), isStarting })
      const inUse = (seconds: number) => storage.dispatch.adoptedPlanData(Factories.at(seconds))
      assert.strictEqual(yield* adopt(bare, 0, true), bare)
      assert.deepStrictEqual([yield* inUse(59.999), yield* inUse(60)], [Option.some(bare), Option.none()])
      assert.strictEqual(yield* adopt(routed, 1), routed)
      assert.strictEqual(yield* adopt(bare, 2, true), routed)
      assert.strictEqual(yield* adopt(other, 3), routed)
      assert.strictEqual(yield* adopt(other, 4, true), other)
      assert.deepStrictEqual(yield* inUse(5), Option.some(other))
      assert.strictEqual(yield* adopt(bare, 63.999), other)
      assert.strictEqual(yield* adopt(bare, 64), bare)
    }),

  "examines an account again that was held by other plan data": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, dailyLimit: 1 } })
    const { older, newer } = yield* dataOf(fixture)
    yield* adopt(fixture, older, 0)
    yield* startMany(fixture, 2, { lane: older.lane })
    yield* claimBy(fixture, older)
    yield* claimBy(fixture, older)
    assert.isFalse(yield* Fixture.isDue(fixture, "dial", 1))
    yield* adopt(fixture, newer, 1)
    yield* replan(fixture, 1, newer.rules)
    assert.isTrue(yield* Fixture.isDue(fixture, "dial", 1))
  })
}
