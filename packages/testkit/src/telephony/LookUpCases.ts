/** Looking up calls, which the engine does if reports are missing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fixture from "./Fixture.ts"

export const cases: Fixture.Cases = {
  "shows a call as live while it rings and while it talks": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
    yield* Fixture.answer(dialed)
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
    yield* Fixture.end(dialed)
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 1)
  }),

  "shows the same end that was reported": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.deepStrictEqual(
      Fixture.withoutRecording(yield* Fixture.endOf(dialed.call)),
      Fixture.withoutRecording(yield* Fixture.reportedEnd(dialed))
    )
  }),

  "shows the complete end that was never reported": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("last_report_lost")
    yield* Fixture.answer(dialed)
    const [answered, ...others] = yield* Fixture.carrierEvents(dialed)
    assert.isEmpty(others)
    yield* Fixture.end(dialed)
    assert.lengthOf(yield* Fixture.carrierEvents(dialed), 1)
    const end = yield* Fixture.endOf(dialed.call)
    assert.strictEqual(end.result, "hung_up")
    assert.deepStrictEqual(end.answeredAt, answered?.at)
    yield* Fixture.answeredBy(end, "human")
    assert.isTrue(yield* Fixture.hasRightSpeakers(end))
  }),

  "finds a call by our id alone": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    assert.strictEqual(yield* Fixture.stateOf(dialed.withoutCarrierCallId), "Live")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.deepStrictEqual(
      yield* Fixture.endOf(dialed.withoutCarrierCallId),
      yield* Fixture.endOf(dialed.call)
    )
  }),

  "finds a call that rang although its answer was lost": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unknown_rings")
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.isDefined((yield* Fixture.endOf(dialed.call)).answeredAt)
  }),

  "finds no call that never arrived": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unknown_lost")
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "NotFound")
    assert.strictEqual(yield* Fixture.stateOf(yield* Fixture.newCall), "NotFound")
  }),

  "never reads an error of the carrier as a result": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    const seen = yield* Fixture.during(
      "faulty",
      Effect.all([Fixture.stateOf(dialed.call), Fixture.stateOf(yield* Fixture.newCall)])
    )
    assert.deepStrictEqual(seen, ["Unreachable", "Unreachable"])
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "cancels a look-up that the carrier does not answer when it is interrupted": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.giveUp(Fixture.lookUp(dialed.call))
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "never reads an unreachable carrier as one without the call": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    const seen = yield* Fixture.cutOff(Effect.all([
      Fixture.stateOf(dialed.call),
      Fixture.stateOf(dialed.withoutCarrierCallId),
      Fixture.stateOf(yield* Fixture.newCall)
    ]))
    assert.deepStrictEqual(seen, ["Unreachable", "Unreachable", "Unreachable"])
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  })
}
