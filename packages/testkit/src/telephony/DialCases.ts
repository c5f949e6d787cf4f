/** The chapter on dialing: at most one ring, and no certainty that there is not. */
import { assert } from "@effect/vitest"
import { PhoneNumber, Telephony } from "@outdial/core"
import { Duration, Effect } from "effect"
import { Carrier } from "./Carrier.ts"
import * as Fixture from "./Fixture.ts"

export const cases: Fixture.Cases = {
  "rings the callee once and answers with the carrier's id": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    assert.strictEqual(Fixture.verdict(dialed), "taken")
    assert.isNotEmpty(dialed.call.carrierCallId)
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 1)
  }),

  "rings each of many calls at once a single time, under an id of its own": Effect.gen(function*() {
    const dialed = yield* Effect.all(Array.from({ length: 10 }, () => Fixture.dial("talks")), {
      concurrency: "unbounded"
    })
    assert.strictEqual(new Set(dialed.map(({ call }) => call.carrierCallId)).size, 10)
    assert.deepStrictEqual(yield* Effect.forEach(dialed, Fixture.ringsOf), Array.from({ length: 10 }, () => 1))
  }),

  "says that a call was refused, and lets nothing ring for it": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("refused")
    assert.strictEqual(Fixture.verdict(dialed), "refused")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "says unavailable when the carrier had no room, and lets nothing ring": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unavailable")
    assert.strictEqual(Fixture.verdict(dialed), "unavailable")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "shows the callee the caller id, and none when there is none": Effect.gen(function*() {
    const { callerIdOf } = yield* Carrier
    const callerId = PhoneNumber.PhoneNumber.make("+14155550199")
    const shown = yield* Fixture.dial("talks", "30 seconds", callerId)
    const hidden = yield* Fixture.dial("talks")
    assert.deepStrictEqual(
      [yield* callerIdOf(shown.call.callId), yield* callerIdOf(hidden.call.callId)],
      [callerId, undefined]
    )
  }),

  "says unknown when the carrier answered with an error of its own, as the phone may ring": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("error_rings")
    assert.strictEqual(Fixture.verdict(dialed), "unknown")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 1)
  }),

  "gives up a dial that the carrier does not answer when it is interrupted": Effect.gen(function*() {
    yield* Fixture.giveUp(Fixture.dial("talks"))
  }),

  "lets nothing ring when it is too late, and says unavailable": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks", 0)
    assert.strictEqual(Fixture.verdict(dialed), "unavailable")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "lets nothing ring, now or later, when the carrier cannot be reached": Effect.gen(function*() {
    const dialed = yield* Fixture.cutOff(Fixture.dial("talks"))
    // Refused would end the call for good, although the callee could be called in a minute.
    assert.include(["unavailable", "unknown"], Fixture.verdict(dialed))
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
  }),

  "says unknown when the phone rang and the answer was lost, and asks no second time": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unknown_rings")
    assert.strictEqual(Fixture.verdict(dialed), "unknown")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 1)
  }),

  "says unknown when no answer came, even if nothing rang": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unknown_lost")
    assert.strictEqual(Fixture.verdict(dialed), "unknown")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
  }),

  "declares a lag within which a look-up may not find a call": Effect.gen(function*() {
    const { notFoundLag } = yield* Telephony.Telephony
    assert.isAbove(Duration.toMillis(notFoundLag), 0)
    // For as long as that a lost call holds a line.
    assert.isAtMost(Duration.toHours(notFoundLag), 1)
  })
}
