/** Calls whose carrier has not said what it charges. */
import { type CarrierEvent, EventBodies, Ids } from "@outdial/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as CarrierSteps from "../../storage/CarrierSteps.ts"
import * as Fixture from "../../storage/Fixture.ts"

export const cases: Cases = {
  "finds the ended calls of a carrier without a cost, whose id there is known, the oldest first": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ lines: 20 })
      const { accountId, storage } = fixture
      const report = (
        callId: Ids.CallId,
        seconds: number,
        ...events: ReadonlyArray<CarrierEvent.CarrierEvent>
      ) =>
        storage.dispatch.report({
          accountId,
          now: Factories.at(seconds),
          reports: events.map((event) => ({ callId, carrierCallId: carrierCallIdOf(callId), event })),
          events: EventBodies.eventWriter(Factories.at(seconds))
        })
      const charged = { _tag: "Charged", cost: { amount: "0.01", currency: "USD" } } as const
      const busy = { _tag: "Ended", at: Factories.at(40), result: "busy", recorded: false } as const
      const dialed = (at: number) => Effect.map(Fixture.submitted(fixture, {}, at), ({ callId }) => callId)
      const [first, second] = [yield* dialed(10), yield* dialed(20)]
      yield* report(second, 40, busy)
      yield* report(first, 40, Fixture.answered(15), Fixture.talked(15, 40))
      yield* report(yield* dialed(20), 40, busy, charged)
      yield* report(yield* dialed(20), 40, charged, busy)
      // One that goes on, one whose id is not known, and one of another carrier.
      yield* report(yield* dialed(20), 40, Fixture.answered(25))
      yield* Fixture.report(fixture, yield* dialed(20), 40, busy)
      const { callId: other } = yield* CarrierSteps.submittedFor(fixture, Ids.CarrierName.make("another"))
      yield* report(other, 40, busy)
      const found = (dialedAfter: number, limit = 10) =>
        Effect.map(
          storage.calls.withoutCost({
            accountId,
            carrier: Factories.carrier,
            dialedAfter: Factories.at(dialedAfter),
            limit
          }),
          (calls) => calls.map(({ callId }) => callId)
        )
      assert.deepStrictEqual(yield* found(9.999), [first, second])
      assert.deepStrictEqual(yield* found(9.999, 1), [first])
      assert.deepStrictEqual(yield* found(10), [second])
      assert.deepStrictEqual(yield* found(20), [])
      assert.deepStrictEqual(
        yield* storage.calls.withoutCost({
          accountId,
          carrier: Factories.carrier,
          dialedAfter: Factories.at(15),
          limit: 10
        }),
        [{ accountId, callId: second, carrierCallId: carrierCallIdOf(second), endedAt: Factories.at(40) }]
      )
      yield* report(first, 50, charged)
      yield* report(second, 50, charged)
      assert.deepStrictEqual(yield* found(0), [])
    }
  )
}

const carrierCallIdOf = (callId: Ids.CallId) => Ids.CarrierCallId.make(`CA of ${callId}`)
