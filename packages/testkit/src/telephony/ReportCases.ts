/** The reports of providers. */
import { assert } from "@effect/vitest"
import { type CarrierEvent, Recordings } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import { Carrier } from "./Carrier.ts"
import * as Fixture from "./Fixture.ts"
import { Witness } from "./Witness.ts"

/** An end without an answer. */
const unanswered = ({ answeredAt, answeredBy, recorded, result, transcript = [] }: CarrierEvent.Ended) => ({
  result,
  answeredAt,
  answeredBy,
  transcript,
  recorded
})

/** How far a carrier's clock may be from ours. */
const clockSkew = "10 seconds"

const recordingOf = Effect.fnUntraced(function*({ call }: Fixture.Dialed) {
  const recordings = yield* Recordings.Recordings
  return yield* recordings.get(call)
})

export const cases: Fixture.Cases = {
  "reports the answer when the callee answers, then the end": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    assert.isEmpty(yield* Fixture.carrierEvents(dialed))
    yield* Fixture.answer(dialed)
    const answers = yield* Fixture.carrierEvents(dialed)
    // Repeated or not.
    assert.deepStrictEqual(Array.from(new Set(answers.map(({ _tag }) => _tag))), ["Answered"])
    yield* Fixture.end(dialed)
    assert.strictEqual((yield* Fixture.reportedEnd(dialed)).result, "hung_up")
  }),

  "sends both ids of the call with every report": Effect.gen(function*() {
    const witness = yield* Witness
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    const reports = yield* witness.reports(dialed.call.callId)
    assert.isNotEmpty(reports)
    assert.deepStrictEqual(
      Array.from(new Set(reports.map(({ accountId }) => accountId))),
      [dialed.call.accountId]
    )
  }),

  "names one carrier call for a call, in the answer to the dial and in every report": Effect.gen(function*() {
    const witness = yield* Witness
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    const reports = yield* witness.reports(dialed.call.callId)
    const named = reports.flatMap(({ carrierCallId, event }) => [
      ...(carrierCallId === undefined ? [] : [carrierCallId]),
      ...(event._tag === "Accepted" ? [event.carrierCallId] : [])
    ])
    const { carrierCallId } = dialed.call
    assert.deepStrictEqual(named, named.map(() => carrierCallId))
  }),

  "reports a complete end": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    const [answered] = yield* Fixture.carrierEvents(dialed)
    yield* Fixture.end(dialed)
    const end = yield* Fixture.reportedEnd(dialed)
    assert.deepStrictEqual(end.answeredAt, answered?.at)
    yield* Fixture.answeredBy(end, "human")
    assert.isTrue(yield* Fixture.hasRightSpeakers(end))
    assert.isTrue(end.answeredAt !== undefined && DateTime.isLessThanOrEqualTo(end.answeredAt, end.at))
  }),

  "reports who said what": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.notInclude(["voicemail", "fax"], yield* Fixture.verdictOn(dialed))
    assert.isTrue(yield* Fixture.hasRightSpeakers(yield* Fixture.reportedEnd(dialed)))
    assert.isTrue(yield* Fixture.hasRightSpeakers(yield* Fixture.endOf(dialed.call)))
  }),

  "reports that a machine answered, without turns": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("voicemail")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    for (const end of [yield* Fixture.reportedEnd(dialed), yield* Fixture.endOf(dialed.call)]) {
      assert.isDefined(end.answeredAt)
      yield* Fixture.answeredBy(end, "voicemail")
      assert.notInclude((end.transcript ?? []).map(({ speaker }) => speaker), "contact")
    }
    const answers = (yield* Fixture.carrierEvents(dialed)).flatMap((event) =>
      event._tag === "Answered" ? [event.by] : []
    )
    // The verdict may come after the answer, or with the end. If the answer has one, it is the same.
    assert.notInclude([...answers, yield* Fixture.verdictOn(dialed)], "human")
  }),

  "lets the carrier repeat a report that was not accepted": Effect.gen(function*() {
    const witness = yield* Witness
    const dialed = yield* Fixture.dial("talks")
    yield* witness.answerWith(dialed.call.callId, "storage_fails_once")
    yield* Fixture.answer(dialed)
    assert.deepStrictEqual((yield* Fixture.carrierEvents(dialed)).at(-1)?._tag, "Answered")
    yield* witness.answerWith(dialed.call.callId, "storage_fails_once")
    yield* Fixture.end(dialed)
    assert.strictEqual((yield* Fixture.reportedEnd(dialed)).result, "hung_up")
  }),

  "keeps the recording, if the carrier has one": Effect.gen(function*() {
    const { recording, records } = yield* Carrier
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    assert.strictEqual((yield* Fixture.reportedEnd(dialed)).recorded, records)
    assert.strictEqual((yield* Fixture.endOf(dialed.call)).recorded, records)
    const kept = yield* recordingOf(dialed)
    assert.strictEqual(Option.isSome(kept), records)
    if (Option.isNone(kept)) return
    assert.isNotEmpty(kept.value.bytes)
    assert.match(kept.value.mediaType, /^audio\//)
    if (recording !== undefined) assert.deepStrictEqual(kept.value.bytes, recording)
  }),

  "dates events by when they happened": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    const from = yield* DateTime.now
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    const { answeredAt, at } = yield* Fixture.reportedEnd(dialed)
    const to = yield* DateTime.now
    for (const instant of [answeredAt, at]) {
      assert.isTrue(
        instant !== undefined && DateTime.between(instant, {
          minimum: DateTime.subtractDuration(from, clockSkew),
          maximum: DateTime.addDuration(to, clockSkew)
        })
      )
    }
  }),

  "reports the end of a call that was not answered": Effect.gen(function*() {
    for (const [behaviour, result] of [["busy", "busy"], ["never_answers", "no_answer"]] as const) {
      const dialed = yield* Fixture.dial(behaviour)
      yield* Fixture.end(dialed)
      const end = yield* Fixture.reportedEnd(dialed)
      const nothing = { answeredAt: undefined, answeredBy: undefined, transcript: [], recorded: false }
      assert.deepStrictEqual(unanswered(end), { result, ...nothing })
      assert.deepStrictEqual(unanswered(yield* Fixture.endOf(dialed.call)), { result, ...nothing })
    }
  }),

  "reports a recording only if it is stored": Effect.gen(function*() {
    const dialed = yield* Fixture.dial("talks")
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    const { recorded } = yield* Fixture.reportedEnd(dialed)
    assert.isTrue(!recorded || Option.isSome(yield* recordingOf(dialed)))
    const { reports } = yield* Witness
    const comesLater = (yield* reports(dialed.call.callId)).some(({ event }) => event._tag === "Recorded")
    assert.isTrue(!comesLater || Option.isSome(yield* recordingOf(dialed)))
    const later = yield* Fixture.endOf(dialed.call)
    assert.isTrue(!later.recorded || Option.isSome(yield* recordingOf(dialed)))
  }),

  "reports the end of a call whose recording cannot be stored": Effect.gen(function*() {
    const witness = yield* Witness
    const dialed = yield* Fixture.dial("talks")
    yield* witness.loseRecording(dialed.call.callId)
    yield* Fixture.answer(dialed)
    yield* Fixture.end(dialed)
    const end = yield* Fixture.reportedEnd(dialed)
    assert.isFalse(end.recorded)
    assert.isDefined(end.answeredAt)
  }),

  "survives reports that were not accepted": Effect.gen(function*() {
    const witness = yield* Witness
    const dialed = yield* Fixture.dial("talks")
    yield* witness.answerWith(dialed.call.callId, "storage_fails")
    yield* Fixture.answer(dialed)
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Live")
    yield* Fixture.end(dialed)
    assert.isDefined((yield* Fixture.endOf(dialed.call)).answeredAt)
    yield* witness.answerWith(dialed.call.callId, "continue")

    const next = yield* Fixture.dial("talks")
    yield* Fixture.answer(next)
    yield* Fixture.end(next)
    assert.strictEqual((yield* Fixture.reportedEnd(next)).result, "hung_up")
  }),

  "hangs up a call if its report is answered with hang_up": Effect.gen(function*() {
    const witness = yield* Witness
    const dialed = yield* Fixture.dial("talks")
    yield* witness.answerWith(dialed.call.callId, "hang_up")
    yield* Fixture.answer(dialed)
    assert.strictEqual(yield* Fixture.stateOf(dialed.call), "Ended")
  })
}
