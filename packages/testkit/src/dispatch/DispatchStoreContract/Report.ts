/** Carrier reports in any order, and calls whose node has gone. */
import { assert } from "@effect/vitest"
import { Ids, Limits } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Setting from "../../storage/Fixture.ts"

export const cases: Cases = {
  "writes an answer and an end that arrive together, in order": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId } = yield* Setting.submitted(setting)
    const answers = yield* Setting.report(setting, callId, 20, Setting.answered(5), Setting.talked(5, 20))
    assert.deepStrictEqual(answers, ["changed", "changed"])
    const call = yield* Setting.get(setting, callId)
    assert.strictEqual(call.status, "completed")
    assert.deepStrictEqual(call.answeredAt, Factories.at(5))
    assert.deepStrictEqual(call.transcript, Factories.outcome.transcript)
    assert.isUndefined(call.claim)
  }),

  "keeps what the carrier calls the call, and renews its lease with every sign of life": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId } = yield* Setting.submitted(setting)
    const carrierCallId = Ids.CarrierCallId.make("CA1")
    yield* Setting.report(setting, callId, 1, { _tag: "Accepted", carrierCallId })
    yield* Setting.report(setting, callId, 30, { _tag: "Alive" })
    const { claim } = yield* Setting.get(setting, callId)
    assert.strictEqual(claim?.carrierCallId, carrierCallId)
    assert.deepStrictEqual(claim?.leaseUntil, DateTime.addDuration(Factories.at(30), Limits.lineLease))
  }),

  "changes nothing for what is late, repeated or out of order, and asks to hang up what should be over": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      const { callId } = yield* Setting.submitted(setting)
      yield* Setting.report(setting, callId, 20, Setting.talked(5, 20))
      const before = yield* Setting.get(setting, callId)
      const answers = yield* Setting.report(
        setting,
        callId,
        25,
        Setting.answered(5),
        Setting.talked(6, 25),
        { _tag: "Alive" }
      )
      assert.deepStrictEqual(answers, ["hang_up", "ignored", "hang_up"])
      assert.deepStrictEqual(yield* Setting.get(setting, callId), before)
    }
  ),

  "says so when it does not know the call, also when it is another account's": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const other = yield* Setting.make()
    const { callId } = yield* Setting.submitted(other)
    assert.deepStrictEqual(yield* Setting.report(setting, callId, 1, Setting.answered(1)), ["unknown"])
    assert.deepStrictEqual(yield* Setting.report(setting, Factories.callId(), 1, Setting.answered(1)), ["unknown"])
  }),

  "ends a call once when twenty ends are reported at once": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId } = yield* Setting.submitted(setting)
    const busy = { _tag: "Ended", at: Factories.at(9), result: "busy", transcript: [], recorded: false } as const
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, () => Setting.report(setting, callId, 9, busy)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(answers.flat().filter((answer) => answer === "changed").length, 1)
    assert.strictEqual((yield* Setting.get(setting, callId)).status, "busy")
  }),

  "writes the terminal event of a call that did not connect together with its end": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId } = yield* Setting.submitted(setting)
    yield* Setting.report(setting, callId, 9, {
      _tag: "Ended",
      at: Factories.at(9),
      result: "busy",
      transcript: [],
      recorded: false
    })
    const event = Option.getOrThrow(yield* Setting.terminalEvent(setting, callId))
    assert.strictEqual(event.type, "call.not_connected")
    assert.strictEqual(JSON.parse(event.body).data.status, "busy")
  }),

  "finds a call whose lease ran out, once per lease, with what is known of its dial": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId, token } = yield* Setting.submitted(setting)
    const { accountId, storage } = setting
    const take = (seconds: number) =>
      storage.dispatch.claimStaleCalls({
        carriers: [Factories.carrier],
        accountId,
        now: Factories.at(seconds),
        limit: 10
      })
    assert.isFalse(yield* Setting.isDue(setting, "lease", 59.999))
    assert.deepStrictEqual(yield* take(59.999), [])
    assert.isTrue(yield* Setting.isDue(setting, "lease", 60))
    const { phoneNumber } = yield* Setting.get(setting, callId)
    assert.deepStrictEqual(yield* take(60), [{ callId, token, phoneNumber, submittedAt: Factories.start }])
    assert.deepStrictEqual(yield* take(60), [])
  }),

  "finds a call that was claimed and never submitted": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const call = yield* Setting.start(setting)
    const token = Factories.token()
    yield* Setting.claim(setting, { token })
    const { accountId, storage } = setting
    const stale = yield* storage.dispatch.claimStaleCalls({
      carriers: [Factories.carrier],
      accountId,
      now: Factories.at(15),
      limit: 10
    })
    assert.deepStrictEqual(stale, [{ callId: call.id, token, phoneNumber: call.phoneNumber }])
  })
}
