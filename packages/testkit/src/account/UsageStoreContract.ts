/** Usage by day. */
import { assert } from "@effect/vitest"
import { Call, type Cost, EventBodies, type Ids, type LocalDays } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

/** Days of an hour, so that a test has several. */
const hour = (index: number, day = `2026-03-0${index + 2}`): LocalDays.LocalDay => ({
  day,
  from: Factories.at(index * 3600),
  until: Factories.at((index + 1) * 3600)
})

/** A call that is dialed at that second and talked to for 15. */
const talkedAt = Effect.fnUntraced(function*(fixture: Fixture.Fixture, seconds: number) {
  const { callId } = yield* Fixture.submitted(fixture, { createdAt: Factories.at(seconds) }, seconds)
  yield* Fixture.report(fixture, callId, seconds + 20, Fixture.talked(seconds + 5, seconds + 20))
  return callId
})

const used = (day: string, callsPlaced: number, secondsTalked: number, costs: ReadonlyArray<Cost.Cost> = []) => ({
  day,
  callsPlaced,
  secondsTalked,
  costs
})

const charge = (fixture: Fixture.Fixture, callId: Ids.CallId, amount: string, currency = "USD") =>
  Fixture.report(fixture, callId, 9000, { _tag: "Charged", cost: { amount, currency } })

export const cases: Cases = {
  "counts calls on the day they were dialed, with the seconds talked": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* talkedAt(fixture, 3599)
    yield* talkedAt(fixture, 3600)
    const { callId } = yield* Fixture.submitted(fixture, { createdAt: Factories.at(3700) }, 3700)
    yield* Fixture.report(fixture, callId, 3710, {
      _tag: "Ended",
      at: Factories.at(3710),
      result: "busy",
      transcript: [],
      recorded: false
    })
    assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(1), hour(0), hour(2)] }), [
      used("2026-03-03", 2, 15),
      used("2026-03-02", 1, 15),
      used("2026-03-04", 0, 0)
    ])
  }),

  "does not count test calls, calls that returned to the queue, and other accounts' calls": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* Fixture.start(fixture, {
      test: true,
      status: "completed",
      outcome: Factories.outcome,
      outcomeState: "stored",
      endedAt: Factories.start
    })
    const { callId, token } = yield* Fixture.submitted(fixture)
    yield* storage.dispatch.returnToQueue({
      accountId,
      callIds: [callId],
      token,
      now: Factories.at(3),
      reason: "carrier_unavailable",
      events: EventBodies.eventWriter(Factories.at(3))
    })
    yield* Fixture.submitted(yield* Fixture.make())
    assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(0)] }), [used("2026-03-02", 0, 0)])
  }),

  "counts each call once, folded or not, however often a day is folded": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* talkedAt(fixture, 10)
    yield* talkedAt(fixture, 100)
    yield* talkedAt(fixture, 4000)
    assert.deepStrictEqual(yield* storage.usage.oldestUnfolded(accountId), Option.some(Factories.at(10)))
    yield* Effect.all([
      storage.usage.fold({ accountId, day: hour(0) }),
      storage.usage.fold({ accountId, day: hour(0) })
    ], { concurrency: "unbounded" })
    yield* storage.usage.fold({ accountId, day: hour(0) })
    assert.deepStrictEqual(yield* storage.usage.oldestUnfolded(accountId), Option.some(Factories.at(4000)))
    assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(0), hour(1)] }), [
      used("2026-03-02", 2, 30),
      used("2026-03-03", 1, 15)
    ])
  }),

  "keeps folded days when their calls are deleted, and adds to a day that another time zone has bounded differently":
    Effect.gen(
      function*() {
        const fixture = yield* Fixture.make()
        const { accountId, storage } = fixture
        const callId = yield* Fixture.complete(fixture)
        yield* talkedAt(fixture, 4000)
        yield* storage.usage.fold({ accountId, day: hour(0) })
        const deleted = yield* storage.privacy.deleteCalls({
          accountId,
          before: Factories.at(3600),
          callIds: [callId],
          limit: 10
        })
        assert.strictEqual(deleted, 1)
        assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(0)] }), [used("2026-03-02", 1, 15)])
        yield* storage.usage.fold({ accountId, day: hour(1, "2026-03-02") })
        assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(0)] }), [used("2026-03-02", 2, 30)])
        assert.deepStrictEqual(yield* storage.usage.oldestUnfolded(accountId), Option.none())
      }
    ),

  "sums up what carriers charge, exactly and by currency, before the days are folded and after": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const ids = yield* Effect.forEach([10, 100, 200, 300, 4000, 4100, 4200], (seconds) => talkedAt(fixture, seconds))
      const amounts = ["0.1", "0.2", "0.000000000001", "999999999999", "0.0075", "0.0025"]
      for (const [index, amount] of amounts.entries()) {
        yield* charge(fixture, ids[index] ?? Factories.callId(), amount, index === 3 ? "EUR" : "USD")
      }
      const expected = [
        used("2026-03-02", 4, 60, [
          { amount: "999999999999", currency: "EUR" },
          { amount: "0.300000000001", currency: "USD" }
        ]),
        used("2026-03-03", 3, 45, [{ amount: "0.01", currency: "USD" }])
      ]
      const read = storage.usage.read({ accountId, days: [hour(0), hour(1)] })
      assert.deepStrictEqual(yield* read, expected)
      yield* storage.usage.fold({ accountId, day: hour(0) })
      assert.deepStrictEqual(yield* read, expected)
      // Another time zone has bounded the day differently.
      yield* storage.usage.fold({ accountId, day: hour(1, "2026-03-02") })
      assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(0)] }), [
        used("2026-03-02", 7, 105, [
          { amount: "999999999999", currency: "EUR" },
          { amount: "0.310000000001", currency: "USD" }
        ])
      ])
    }
  ),

  "counts a live call as placed, with no seconds yet": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 5, Fixture.answered(5))
    assert.isTrue(Call.usesLine((yield* Fixture.get(fixture, callId)).status))
    assert.deepStrictEqual(yield* storage.usage.read({ accountId, days: [hour(0)] }), [used("2026-03-02", 1, 0)])
  })
}
