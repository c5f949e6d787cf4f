/** The chapter on ending calls from our side. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Setting from "./Fixture.ts"

export const cases: Setting.Cases = {
  "ends a call that rings, which was then never answered": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.hangUp(dialed.call)
    const end = yield* Setting.endOf(dialed.call)
    assert.isUndefined(end.answeredAt)
    assert.isEmpty(end.transcript)
    assert.isFalse(end.recorded)
  }),

  "ends a call that talks, which was answered all the same": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.answer(dialed)
    const [answered] = yield* Setting.happenings(dialed)
    yield* Setting.hangUp(dialed.call)
    const end = yield* Setting.endOf(dialed.call)
    assert.strictEqual(end.result, "hung_up")
    assert.deepStrictEqual(end.answeredAt, answered?.at)
  }),

  "ends a call by our id alone": Effect.gen(function*() {
    for (const behaviour of ["talks", "unknown_rings"] as const) {
      const dialed = yield* Setting.dial(behaviour)
      yield* Setting.hangUp(dialed.withoutCarrierCallId)
      assert.strictEqual(yield* Setting.stateOf(dialed.call), "Ended")
    }
  }),

  "changes nothing when it is repeated": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.answer(dialed)
    yield* Setting.hangUp(dialed.call)
    const end = yield* Setting.endOf(dialed.call)
    yield* Setting.hangUp(dialed.call)
    assert.deepStrictEqual(yield* Setting.endOf(dialed.call), end)
  }),

  "changes nothing of a call that is over": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.answer(dialed)
    yield* Setting.end(dialed)
    const end = yield* Setting.endOf(dialed.call)
    yield* Setting.hangUp(dialed.call)
    assert.deepStrictEqual(yield* Setting.endOf(dialed.call), end)
  }),

  "does no harm where there is no call": Effect.gen(function*() {
    const unknown = yield* Setting.newCall
    yield* Setting.hangUp(unknown)
    assert.strictEqual(yield* Setting.stateOf(unknown), "NotFound")
  }),

  "gives up a hang-up that the carrier does not answer when it is interrupted": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.giveUp(Setting.hangUp(dialed.call))
    assert.include(["Live", "Ended"], yield* Setting.stateOf(dialed.call))
  }),

  "does no harm when the carrier answers with an error of its own": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.during("faulty", Setting.hangUp(dialed.call))
    assert.include(["Live", "Ended"], yield* Setting.stateOf(dialed.call))
  }),

  "does no harm when the carrier cannot be reached": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.cutOff(Setting.hangUp(dialed.call))
    assert.include(["Live", "Ended"], yield* Setting.stateOf(dialed.call))
  })
}
