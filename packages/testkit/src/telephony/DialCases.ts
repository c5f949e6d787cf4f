/** Dialing: at most one ring, and errors that say what is certain. */
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

  "rings each of many concurrent calls once, under its own id": Effect.gen(function*() {
    const dialed = yield* Effect.all(Array.from({ length: 10 }, () => Fixture.dial("talks")), {
      concurrency: "unbounded"
    })
    assert.strictEqual(new Set(dialed.map(({ call }) => call.carrierCallId)).size, 10)
    assert.deepStrictEqual(yield* Effect.forEach(dialed, Fixture.ringsOf), Array.from({ length: 10 }, () => 1))
  }),

  "reports that a call was refused, and rings no phone": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("refused")
    assert.strictEqual(Fixture.verdict(dialed), "refused")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "passes on why the carrier refused a call, if it says so": Effect.gen(function*() {
    const { refusal } = yield* Carrier
    const { answer } = yield* Fixture.dial("refused")
    if (refusal === undefined) return
    assert.deepStrictEqual(answer._tag === "Failure" ? answer.failure.carrierReason : undefined, refusal)
  }),

  "reports unavailable if the carrier had no capacity, and rings no phone": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unavailable")
    assert.strictEqual(Fixture.verdict(dialed), "unavailable")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "reports not_authorized if the carrier refuses the account, rings no phone, and finds out when it takes calls again":
    Effect
      .gen(function*() {
        const { authorizes = false } = yield* Carrier
        const { check } = yield* Telephony.Telephony
        if (!authorizes) return
        const refused = yield* Fixture.during(
          "unauthorized",
          Effect.gen(function*() {
            const dialed = yield* Fixture.dial("talks")
            assert.strictEqual(Fixture.verdict(dialed), "not_authorized")
            if (check !== undefined) assert.isFalse(yield* check)
            return dialed
          })
        )
        assert.strictEqual(yield* Fixture.ringsOf(refused), 0)
        assert.notStrictEqual(yield* Fixture.stateOf(refused.call), "Live")
        if (check !== undefined) assert.isTrue(yield* check)
        assert.strictEqual(Fixture.verdict(yield* Fixture.dial("talks")), "taken")
      }),

  "shows the callee the caller id, if there is one": Effect.gen(function*() {
    const { callerIdOf, defaultCallerId } = yield* Carrier
    const callerId = PhoneNumber.PhoneNumber.make("+14155550199")
    const shown = yield* Fixture.dial("talks", "30 seconds", callerId)
    const hidden = yield* Fixture.dial("talks")
    assert.deepStrictEqual(
      [yield* callerIdOf(shown.call.callId), yield* callerIdOf(hidden.call.callId)],
      [callerId, defaultCallerId]
    )
  }),

  "reports unknown if the carrier answered with an error, as the phone may ring": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("error_rings")
    assert.strictEqual(Fixture.verdict(dialed), "unknown")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 1)
  }),

  "cancels a dial that the carrier does not answer when it is interrupted": Effect.gen(function*() {
    yield* Fixture.giveUp(Fixture.dial("talks"))
  }),

  "rings no phone after the deadline, and reports unavailable": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks", 0)
    assert.strictEqual(Fixture.verdict(dialed), "unavailable")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
  }),

  "rings no phone, now or later, if the carrier cannot be reached": Effect.gen(function*() {
    const dialed = yield* Fixture.cutOff(Fixture.dial("talks"))
    // Refused would end the call for good, although the callee could be called in a minute.
    assert.include(["unavailable", "unknown"], Fixture.verdict(dialed))
    assert.notStrictEqual(yield* Fixture.stateOf(dialed.call), "Live")
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
  }),

  "reports unknown if the phone rang and the response was lost, and does not retry": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("unknown_rings")
    assert.strictEqual(Fixture.verdict(dialed), "unknown")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.strictEqual(yield* Fixture.ringsOf(dialed), 1)
  }),

  "reports unknown if no response came, even if no phone rang, unless the carrier cannot have rung it": Effect.gen(
    function*() {
      const { provesUnsent = false } = yield* Carrier
      const dialed = yield* Fixture.dial("unknown_lost")
      assert.strictEqual(Fixture.verdict(dialed), provesUnsent ? "unavailable" : "unknown")
      assert.strictEqual(yield* Fixture.ringsOf(dialed), 0)
    }
  ),

  "declares a lag within which a look-up may not find a call": Effect.gen(function*() {
    const { notFoundLag } = yield* Telephony.Telephony
    assert.isAbove(Duration.toMillis(notFoundLag), 0)
    // A lost call occupies a line for that time.
    assert.isAtMost(Duration.toHours(notFoundLag), 1)
  })
}
