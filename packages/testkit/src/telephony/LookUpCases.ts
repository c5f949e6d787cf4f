/** The chapter on looking calls up, by which the engine settles whatever it did not hear. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Setting from "./Fixture.ts"

export const cases: Setting.Cases = {
  "shows a call as live while it rings and while it talks": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "Live")
    yield* Setting.answer(dialed)
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "Live")
    yield* Setting.end(dialed)
    assert.strictEqual(yield* Setting.ringsOf(dialed), 1)
  }),

  "shows the same end that was reported": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.answer(dialed)
    yield* Setting.end(dialed)
    assert.deepStrictEqual(
      Setting.withoutRecording(yield* Setting.endOf(dialed.call)),
      Setting.withoutRecording(yield* Setting.reportedEnd(dialed))
    )
  }),

  "shows the whole of an end that was never reported": Effect.gen(function*() {
    const dialed = yield* Setting.dial("last_report_lost")
    yield* Setting.answer(dialed)
    const [answered, ...others] = yield* Setting.happenings(dialed)
    assert.isEmpty(others)
    yield* Setting.end(dialed)
    assert.lengthOf(yield* Setting.happenings(dialed), 1)
    const end = yield* Setting.endOf(dialed.call)
    assert.strictEqual(end.result, "hung_up")
    assert.deepStrictEqual(end.answeredAt, answered?.at)
    assert.strictEqual(end.answeredBy, "human")
    assert.include(end.transcript.map(({ speaker }) => speaker), "contact")
  }),

  "finds a call by our id alone": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    assert.strictEqual(yield* Setting.stateOf(dialed.withoutCarrierCallId), "Live")
    yield* Setting.answer(dialed)
    yield* Setting.end(dialed)
    assert.deepStrictEqual(
      yield* Setting.endOf(dialed.withoutCarrierCallId),
      yield* Setting.endOf(dialed.call)
    )
  }),

  "finds a call that rang although its answer was lost": Effect.gen(function*() {
    const dialed = yield* Setting.dial("unknown_rings")
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "Live")
    yield* Setting.answer(dialed)
    yield* Setting.end(dialed)
    assert.isDefined((yield* Setting.endOf(dialed.call)).answeredAt)
  }),

  "finds nothing of a call that never arrived": Effect.gen(function*() {
    const dialed = yield* Setting.dial("unknown_lost")
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "NotFound")
    assert.strictEqual(yield* Setting.stateOf(yield* Setting.newCall), "NotFound")
  }),

  "never takes an error of the carrier's for its word": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    const seen = yield* Setting.during(
      "faulty",
      Effect.all([Setting.stateOf(dialed.call), Setting.stateOf(yield* Setting.newCall)])
    )
    assert.deepStrictEqual(seen, ["Unreachable", "Unreachable"])
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "Live")
  }),

  "gives up a look-up that the carrier does not answer when it is interrupted": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    yield* Setting.giveUp(Setting.lookUp(dialed.call))
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "Live")
  }),

  "never takes a carrier that cannot be asked for one that knows nothing": Effect.gen(function*() {
    const dialed = yield* Setting.dial("talks")
    const seen = yield* Setting.cutOff(Effect.all([
      Setting.stateOf(dialed.call),
      Setting.stateOf(dialed.withoutCarrierCallId),
      Setting.stateOf(yield* Setting.newCall)
    ]))
    assert.deepStrictEqual(seen, ["Unreachable", "Unreachable", "Unreachable"])
    assert.strictEqual(yield* Setting.stateOf(dialed.call), "Live")
  })
}
