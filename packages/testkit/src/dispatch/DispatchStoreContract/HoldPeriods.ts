/** What has held many calls at once, in the history of each: pauses, full lines, daily limits and closed lanes. */
import { assert } from "@effect/vitest"
import { type Call, DialDecision, EventBodies, type Ids, type Policy, Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const hour = 3600
const day = 24 * hour

/** Open from 09:00 to 20:00; `Factories.start` is 10:00 on a Monday. */
const hours: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: Object.fromEntries(
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map((name) => [name, [{ start: "09:00", end: "20:00" }]])
  )
}
const [evening, morning] = [10 * hour, 23 * hour]

const hold = (at: number, code: Call.Hold["code"], until?: number): Call.PastHold => ({
  at: Factories.at(at),
  code,
  ...(until !== undefined && { until: Factories.at(until) })
})

const holdsOf = (fixture: Fixture.Fixture, id: Ids.CallId) => Effect.map(Fixture.get(fixture, id), ({ holds }) => holds)

const update = (
  { accountId, storage }: Fixture.Fixture,
  at: number,
  changes: Parameters<Storage.AccountStore["Service"]["update"]>[1]
) => storage.accounts.update(accountId, changes, { now: Factories.at(at) })

const options = ({ accountId }: Fixture.Fixture, at: number) => {
  const now = Factories.at(at)
  return { accountId, now, events: EventBodies.eventWriter(now) }
}

const cancel = (fixture: Fixture.Fixture, at: number, id: Ids.CallId) =>
  fixture.storage.calls.cancel({ ...options(fixture, at), id })

const replan = (fixture: Fixture.Fixture, at: number, limit: number) =>
  fixture.storage.dispatch.replanCalls({ ...options(fixture, at), limit, rules: Factories.rules })

const claimBy = (fixture: Fixture.Fixture, at: number, rules: Partial<DialDecision.DialRules>) =>
  fixture.storage.dispatch.claimDue({
    ...options(fixture, at),
    carrier: Factories.carrier,
    limit: 10,
    token: Factories.token(),
    rules: { ...Factories.rules, ...rules }
  })

/** A call that uses a line from this time on. */
const talking = (fixture: Fixture.Fixture, at: number) =>
  Fixture.submitted(
    fixture,
    { createdAt: Factories.at(at), dueAt: Factories.at(at), expiresAt: Factories.at(at + day) },
    at
  )

const hangUp = (fixture: Fixture.Fixture, { callId }: { readonly callId: Ids.CallId }, at: number) =>
  Fixture.report(fixture, callId, at, Fixture.talked(at - 2, at))

export const cases: Cases = {
  "tells a wait for a line from the pause of the account after it": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const first = yield* talking(fixture, 0)
    const { id } = yield* Fixture.start(fixture)
    yield* update(fixture, 5, { paused: true })
    yield* hangUp(fixture, first, 10)
    yield* update(fixture, 47 * hour, { paused: false })
    yield* Fixture.claim(fixture, { at: 47 * hour })
    assert.deepStrictEqual(yield* holdsOf(fixture, id), [
      hold(0, "lines_busy", 5),
      hold(5, "account_paused", 47 * hour)
    ])
  }),

  "knows the pause of an account with free lines, and not what an earlier call waited for": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const first = yield* talking(fixture, 0)
    const canceled = yield* Fixture.start(fixture)
    yield* Fixture.claim(fixture, { at: 1 })
    yield* cancel(fixture, 30, canceled.id)
    assert.deepStrictEqual(yield* holdsOf(fixture, canceled.id), [hold(0, "lines_busy", 30)])
    yield* hangUp(fixture, first, 40)
    yield* update(fixture, day, { paused: true })
    const created = Factories.at(day + 60)
    const { id } = yield* Fixture.start(fixture, { createdAt: created, dueAt: created })
    yield* update(fixture, day + 5 * hour, { paused: false })
    yield* Fixture.claim(fixture, { at: day + 5 * hour })
    assert.deepStrictEqual(yield* holdsOf(fixture, id), [hold(day + 60, "account_paused", day + 5 * hour)])
  }),

  "knows the pause of an account that was created paused": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const account = Option.getOrThrow(yield* storage.accounts.get(accountId))
    const other = { ...fixture, accountId: Factories.accountId() }
    yield* storage.accounts.put({ ...account, id: other.accountId, paused: true }, { now: Factories.start })
    yield* update(other, hour, { paused: false })
    assert.deepStrictEqual((yield* storage.calls.sharedPeriods(other.accountId, [])).account, [
      { code: "account_paused", since: Factories.start, until: Factories.at(hour) }
    ])
  }),

  "knows the stop of all accounts, and that full lines hold calls which no claim has seen": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const { storage } = fixture
    // The deployment is shared: later than in all other cases.
    const start = 400 * day
    const later = { expiresAt: Factories.at(500 * day) }
    const first = yield* talking(fixture, start)
    const created = Factories.at(start + 10)
    const { id } = yield* Fixture.start(fixture, { ...later, createdAt: created, dueAt: created })
    yield* storage.accounts.updateDeployment({ paused: true }, { now: Factories.at(start + hour) })
    yield* hangUp(fixture, first, start + 2 * hour)
    yield* storage.accounts.updateDeployment({ paused: false }, { now: Factories.at(start + 11 * hour) })
    yield* Fixture.claim(fixture, { at: start + 11 * hour })
    assert.deepStrictEqual(yield* holdsOf(fixture, id), [
      hold(start + 10, "lines_busy", start + hour),
      hold(start + hour, "account_paused", start + 11 * hour)
    ])
  }),

  "has each daily limit and each night of a call that waits for days": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 9, policy: { ...hours, dailyLimit: 1 } })
    const midnight = 14 * hour
    yield* talking(fixture, 0)
    const { id } = yield* Fixture.start(fixture)
    yield* Fixture.claim(fixture)
    yield* Fixture.claim(fixture, { at: midnight })
    // On the second day another call is first.
    yield* Fixture.start(fixture, { createdAt: Factories.at(-1), dueAt: Factories.at(-1) })
    yield* Fixture.claim(fixture, { at: morning })
    yield* Fixture.claim(fixture, { at: midnight + day })
    yield* Fixture.claim(fixture, { at: morning + day })
    assert.deepStrictEqual((yield* Fixture.get(fixture, id)).status, "dialing")
    assert.deepStrictEqual(yield* holdsOf(fixture, id), [
      hold(0, "daily_limit", midnight),
      hold(midnight, "outside_calling_hours", morning),
      hold(morning, "daily_limit", midnight + day),
      hold(midnight + day, "outside_calling_hours", morning + day)
    ])
  }),

  "has the holds of calls that are canceled, forbidden or expire while many calls wait": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: hours })
    const { accountId, storage } = fixture
    const created = { createdAt: Factories.at(evening), dueAt: Factories.at(evening) }
    const [canceled, forbidden] = [yield* Fixture.start(fixture, created), yield* Fixture.start(fixture, created)]
    const expired = yield* Fixture.start(fixture, { ...created, expiresAt: Factories.at(evening + 5 * hour) })
    yield* Fixture.claim(fixture, { at: evening })
    const lanes = (yield* storage.calls.sharedPeriods(accountId, [canceled.lane])).lanes.get(canceled.lane)
    assert.deepStrictEqual(lanes, [
      { code: "outside_calling_hours", since: Factories.at(evening), until: Factories.at(morning) }
    ])
    const at = evening + 4 * hour
    yield* cancel(fixture, at, canceled.id)
    yield* storage.doNotCall.add({
      ...options(fixture, at),
      entries: [{ phoneNumber: forbidden.phoneNumber, source: "api", createdAt: Factories.at(at) }]
    })
    yield* storage.dispatch.expireCalls({
      ...options(fixture, evening + 5 * hour),
      limit: 10,
      rules: Factories.rules
    })
    const night = hold(evening, "outside_calling_hours", at)
    assert.deepStrictEqual([yield* holdsOf(fixture, canceled.id), yield* holdsOf(fixture, forbidden.id)], [
      [night],
      [night]
    ])
    assert.deepStrictEqual(yield* holdsOf(fixture, expired.id), [
      hold(evening, "outside_calling_hours", evening + 5 * hour)
    ])
  }),

  "names the rule that closes a lane, since it was closed first": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { id } = yield* Fixture.start(fixture)
    for (const minute of [0, 60, 120]) {
      const until = Factories.at(minute + 60)
      yield* claimBy(fixture, minute, { laneHold: () => ({ code: "rule_failed", until }) })
    }
    yield* Fixture.claim(fixture, { at: 180 })
    assert.deepStrictEqual(yield* holdsOf(fixture, id), [hold(0, "rule_failed", 180)])
  }),

  "has the night in the history of every call that another plan moves, set by set": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: hours })
    const created = { createdAt: Factories.at(evening), dueAt: Factories.at(evening) }
    const calls = yield* Effect.forEach([1, 2, 3], () => Fixture.start(fixture, created))
    yield* Fixture.claim(fixture, { at: evening })
    const at = evening + hour
    yield* update(fixture, at, { policy: { ...hours, recallGapSeconds: 60 } })
    assert.deepStrictEqual([yield* replan(fixture, at, 2), yield* replan(fixture, at, 2)], [2, 1])
    for (const { id } of calls) {
      assert.deepStrictEqual(yield* holdsOf(fixture, id), [hold(evening, "outside_calling_hours", at)])
    }
    // The hours of the new plan continue the night.
    yield* Fixture.claim(fixture, { at })
    yield* Fixture.claim(fixture, { at: morning })
    for (const { id } of calls) {
      assert.deepStrictEqual(yield* holdsOf(fixture, id), [hold(evening, "outside_calling_hours", morning)])
    }
    const [{ lane } = assert.fail("There is a call")] = calls
    const { lanes } = yield* fixture.storage.calls.sharedPeriods(fixture.accountId, [lane])
    assert.isUndefined(lanes.get(lane))
  }),

  "counts full lines also after a claim that ended by its limit": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const first = yield* talking(fixture, 0)
    const [second, third] = [yield* Fixture.start(fixture), yield* Fixture.start(fixture)]
    yield* hangUp(fixture, first, 60)
    const { claimed } = yield* Fixture.claim(fixture, { at: 60, limit: 1 })
    const [dialed = assert.fail("A call was dialed")] = claimed
    const waiting = [second, third].find(({ id }) => id !== dialed.call.id) ?? assert.fail("A call waits")
    assert.deepStrictEqual(yield* holdsOf(fixture, dialed.call.id), [hold(0, "lines_busy", 60)])
    yield* hangUp(fixture, { callId: dialed.call.id }, 120)
    yield* Fixture.claim(fixture, { at: 120 })
    assert.deepStrictEqual(yield* holdsOf(fixture, waiting.id), [hold(0, "lines_busy", 120)])
  }),

  "begins another hold after a dial, and none for a line that a returned call has left": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const { id } = yield* Fixture.start(fixture)
    const refuse = (at: number) =>
      Effect.gen(function*() {
        const token = Factories.token()
        yield* Fixture.claim(fixture, { at, token })
        yield* fixture.storage.dispatch.returnToQueue({
          ...options(fixture, at + 1),
          callIds: [id],
          token,
          reason: "carrier_not_authorized"
        })
      })
    yield* refuse(0)
    yield* refuse(8 * hour)
    assert.deepStrictEqual(yield* holdsOf(fixture, id), [
      hold(1, "carrier_paused", 8 * hour),
      hold(8 * hour + 1, "carrier_paused")
    ])
  })
}
