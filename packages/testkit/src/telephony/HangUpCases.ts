/** Hanging up calls. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fixture from "./Fixture.ts"

export const cases: Fixture.Cases = {
  "ends a ringing call, which then was never answered": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.hangUp(dialed.call)
    const end = yield* Fixture.endOf(dialed.call)
    assert.isUndefined(end.answeredAt)
    assert.isEmpty(end.transcript ?? [])
    assert.isFalse(end.recorded)
  }),

  "ends a conversation, which stays answered": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    const [answered] = yield* Fixture.carrierEvents(dialed)
    yield* Fixture.hangUp(dialed.call)
    const end = yield* Fixture.endOf(dialed.call)
    assert.strictEqual(end.result, "hung_up")
    assert.deepStrictEqual(end.answeredAt, answered?.at)
  }),

  "ends a call by our id alone": Effect.gen(function*() {
    for (const behaviour of ["talks", "unknown_rings"] as const) {
      const dialed = yield* Fixture.dial(behaviour)
      yield* Fixture.hangUp(dialed.withoutCarrierCallId)
      assert.isUndefined((yield* Fixture.endOf(dialed.call)).answeredAt)
    }
  }),

  "changes nothing when it is repeated": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.hangUp(dialed.call)
    const end = yield* Fixture.endOf(dialed.call)
    yield* Fixture.hangUp(dialed.call)
    assert.deepStrictEqual(yield* Fixture.endOf(dialed.call), end)
  }),

  "changes nothing of a call that has ended": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    const end = yield* Fixture.endOf(dialed.call)
    yield* Fixture.hangUp(dialed.call)
    assert.deepStrictEqual(yield* Fixture.endOf(dialed.call), end)
  }),

  "ends no other call": Effect.gen(function*() {
    const [first, second, third] = yield* Effect.all([
      Fixture.dial("talks"),
      Fixture.dial("talks"),
      Fixture.dial("talks")
    ])
    yield* Fixture.answer(first)
    yield* Fixture.hangUp(second.call)
    assert.deepStrictEqual(
      yield* Effect.forEach([first, second, third], ({ call }) => Fixture.stateOf(call)),
      ["Live", "Ended", "Live"]
    )
  }),

  "has no effect without a call": Effect.gen(function*() {
    const unknown = yield* Fixture.newCall
    yield* Fixture.hangUp(unknown)
    assert.strictEqual(yield* Fixture.stateOf(unknown), "NotFound")
  }),

  "cancels a hang-up that the carrier does not answer when it is interrupted": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.giveUp(Fixture.hangUp(dialed.call))
    assert.include(["Live", "Ended"], yield* Fixture.stateOf(dialed.call))
  }),

  "logs a warning when the call could not be ended": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    const warnings = yield* Fixture.warningsOf(Fixture.during("faulty", Fixture.hangUp(dialed.call)))
    assert.isTrue(warnings > 0 || (yield* Fixture.stateOf(dialed.call)) === "Ended")
  }),

  "does not fail if the carrier answers with an error": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.during("faulty", Fixture.hangUp(dialed.call))
    assert.include(["Live", "Ended"], yield* Fixture.stateOf(dialed.call))
  }),

  "does not fail if the carrier cannot be reached": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.cutOff(Fixture.hangUp(dialed.call))
    assert.include(["Live", "Ended"], yield* Fixture.stateOf(dialed.call))
  })
}
