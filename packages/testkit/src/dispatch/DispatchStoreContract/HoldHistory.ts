/** What is kept of the holds of a call, whether they held it alone, its lane or its account. */
import { assert } from "@effect/vitest"
import { type Call, type DialDecision, EventBodies, type Ids, Limits, type Policy } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const hour = 3600

/** Open from 09:00 to 12:00; `Factories.start` is 10:00 on a Monday. A number is dialed again 22.5 hours later. */
const policy: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: { mon: [{ start: "09:00", end: "12:00" }], tue: [{ start: "09:00", end: "12:00" }] },
  recallGapSeconds: 22.5 * hour
}

const hold = (at: number, code: Call.Hold["code"], until?: number): Call.PastHold => ({
  at: Factories.at(at),
  code,
  ...(until !== undefined && { until: Factories.at(until) })
})

const holdsOf = (fixture: Fixture.Fixture, id: Ids.CallId) => Effect.map(Fixture.get(fixture, id), ({ holds }) => holds)

/** Claims, and holds the calls by this decision. */
const holdAll = (
  { accountId, storage }: Fixture.Fixture,
  at: number,
  decision: Omit<Extract<DialDecision.DialDecision, { readonly _tag: "hold" }>, "_tag">
) =>
  storage.dispatch.claimDue({
    carrier: Factories.carrier,
    accountId,
    now: Factories.at(at),
    limit: 10,
    token: Factories.token(),
    rules: { ...Factories.rules, decide: () => ({ _tag: "hold", ...decision }) },
    events: EventBodies.eventWriter(Factories.at(at))
  })

export const cases: Cases = {
  "keeps what held a call, in order: its lane's hours, the gap of its number, a line and its carrier": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ policy, lines: 1 })
      const { accountId, storage } = fixture
      const before = yield* Fixture.submitted(fixture, {}, hour)
      yield* Fixture.report(fixture, before.callId, hour + 20, Fixture.talked(hour + 5, hour + 20))
      const { phoneNumber } = yield* Fixture.get(fixture, before.callId)
      const [evening, morning] = [10 * hour, 23 * hour]
      const { id } = yield* Fixture.start(fixture, { phoneNumber, createdAt: Factories.at(evening) })
      // Two nodes find the lane closed, and one of them later.
      yield* Fixture.claim(fixture, { at: evening })
      yield* Fixture.claim(fixture, { at: evening + 60 })
      assert.isUndefined(yield* holdsOf(fixture, id))
      yield* Fixture.claim(fixture, { at: morning })
      const night = hold(evening, "outside_calling_hours", morning)
      const gap = hold(morning, "recall_gap", morning + 0.5 * hour)
      assert.deepStrictEqual(yield* holdsOf(fixture, id), [night, gap])
      const other = yield* Fixture.submitted(fixture, { createdAt: Factories.at(morning + 100) }, morning + 100)
      yield* Fixture.claim(fixture, { at: morning + 0.5 * hour })
      yield* Fixture.claim(fixture, { at: morning + 0.5 * hour + 5 })
      yield* Fixture.report(
        fixture,
        other.callId,
        morning + 0.6 * hour,
        Fixture.talked(morning + 110, morning + 0.6 * hour)
      )
      const token = Factories.token()
      const { claimed: [dialed] } = yield* Fixture.claim(fixture, { at: morning + 0.6 * hour, token })
      const line = hold(morning + 0.5 * hour, "lines_busy", morning + 0.6 * hour)
      assert.deepStrictEqual([dialed?.call.id, dialed?.call.holds], [id, [night, gap, line]])
      const now = Factories.at(morning + 0.6 * hour)
      yield* storage.dispatch.returnToQueue({
        accountId,
        callIds: [id],
        token,
        now,
        reason: "carrier_not_authorized",
        events: EventBodies.eventWriter(now)
      })
      const carrier = hold(morning + 0.6 * hour, "carrier_paused")
      assert.deepStrictEqual(yield* holdsOf(fixture, id), [night, gap, line, carrier])
      // Another plan and another dial leave them.
      yield* storage.accounts.update(accountId, { policy: Factories.openPolicy }, { now })
      yield* Fixture.claim(fixture, { at: morning + 0.6 * hour + 1 })
      yield* Fixture.claim(fixture, { at: morning + 0.6 * hour + 1 })
      const { holds, status } = yield* Fixture.get(fixture, id)
      const ended = { ...carrier, until: Factories.at(morning + 0.6 * hour + 1) }
      assert.deepStrictEqual([status, holds], ["dialing", [night, gap, line, ended]])
    }
  ),

  "keeps the hold of a call that is accepted while a rule holds it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const holds = [hold(0, "not_before", hour)]
    const { id } = yield* Fixture.start(fixture, { holds, notBefore: Factories.at(hour), dueAt: Factories.at(hour) })
    assert.deepStrictEqual(yield* holdsOf(fixture, id), holds)
    yield* Fixture.claim(fixture, { at: hour })
    assert.deepStrictEqual(yield* holdsOf(fixture, id), holds)
  }),

  "keeps no wait of less than a second, and a hold that is only checked again once": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const [first, second] = [yield* Fixture.start(fixture), yield* Fixture.start(fixture)]
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    yield* fixture.storage.accounts.update(fixture.accountId, { lines: 2 }, { now: Factories.at(0.9) })
    yield* Fixture.claim(fixture, { at: 0.9 })
    assert.deepStrictEqual(
      [yield* holdsOf(fixture, first.id), yield* holdsOf(fixture, second.id)],
      [undefined, undefined]
    )
    const third = yield* Fixture.start(fixture, { phoneNumber: first.phoneNumber })
    yield* fixture.storage.accounts.update(fixture.accountId, { lines: 5 }, { now: Factories.at(0.9) })
    yield* Fixture.claim(fixture, { at: 2 })
    yield* Fixture.claim(fixture, { at: 62 })
    assert.deepStrictEqual(yield* holdsOf(fixture, third.id), [hold(2, "number_busy")])
  }),

  "keeps the first and the newest holds of a call that is held again and again, and how many are left out": Effect
    .gen(function*() {
      const fixture = yield* Fixture.make()
      const { id } = yield* Fixture.start(fixture)
      const { first, newest } = Limits.holdsOfCall
      const count = first + newest + 3
      for (let n = 0; n < count; n++) {
        yield* holdAll(fixture, n * hour, { code: "recall_gap", until: Factories.at((n + 1) * hour) })
      }
      const holds = (yield* holdsOf(fixture, id)) ?? []
      assert.lengthOf(holds, first + newest)
      assert.deepStrictEqual(holds[first - 1], hold((first - 1) * hour, "recall_gap", first * hour))
      assert.deepStrictEqual(holds[first], {
        ...hold((first + 3) * hour, "recall_gap", (first + 4) * hour),
        omitted: 3
      })
      assert.deepStrictEqual(holds.at(-1), hold((count - 1) * hour, "recall_gap", count * hour))
      assert.isTrue(holds.every(({ omitted }, index) => (omitted !== undefined) === (index === first)))
      assert.deepStrictEqual(holds.map(({ at }) => at), holds.map(({ at }) => at).sort(DateTime.Order))
    })
}
