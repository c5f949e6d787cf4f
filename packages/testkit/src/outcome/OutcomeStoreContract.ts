/** The outcomes of completed calls. */
import { assert } from "@effect/vitest"
import { type CallLife, EventBodies, Ids, type Outcome } from "@outdial/core"
import { type DateTime, Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

const settle = (
  { accountId, storage }: Fixture.Fixture,
  callId: Ids.CallId,
  token: Ids.ClaimToken,
  result: CallLife.OutcomeResult,
  seconds: number
) =>
  storage.outcomes.settle({
    accountId,
    token,
    now: Factories.at(seconds),
    results: [{ callId, result }],
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

const claimOutcomes = ({ accountId, storage }: Fixture.Fixture, token: Ids.ClaimToken, seconds: number) =>
  Effect.map(
    storage.outcomes.claim({ accountId, now: Factories.at(seconds), limit: 10, token }),
    (claimed) => claimed.map(({ call }) => call.id)
  )

/** A call that has completed at 20 s and waits for its outcome. */
const talkedTo = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { callId } = yield* Fixture.submitted(fixture)
  yield* Fixture.report(fixture, callId, 20, Fixture.answered(5), Fixture.talked(5, 20))
  return callId
})

/** The same, and its carrier has announced a recording. */
const announced = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { callId } = yield* Fixture.submitted(fixture)
  yield* Fixture.report(fixture, callId, 20, Fixture.answered(5), announcement)
  return callId
})

const announcement = { ...Fixture.talked(5, 20), recorded: false, recordingFollows: true }

const recorded = (fixture: Fixture.Fixture, callId: Ids.CallId, seconds: number) =>
  Fixture.report(fixture, callId, seconds, { _tag: "Recorded" })

/** Claims the work on the call's outcome and stores the result. */
const makeAt = Effect.fnUntraced(function*(
  fixture: Fixture.Fixture,
  callId: Ids.CallId,
  result: CallLife.OutcomeResult,
  seconds: number
) {
  const token = Factories.token()
  assert.deepStrictEqual(yield* claimOutcomes(fixture, token, seconds), [callId])
  yield* settle(fixture, callId, token, result, seconds)
})

const made: CallLife.OutcomeResult = { _tag: "Stored", outcome: Factories.outcome }

/** What is known of the call's outcome, recording and event. */
const stateOf = (fixture: Fixture.Fixture, callId: Ids.CallId) =>
  Effect.all([Fixture.get(fixture, callId), Fixture.terminalEvent(fixture, callId)]).pipe(
    Effect.map(([{ hasRecording, outcome, outcomeState, recordingDueAt }, event]) => ({
      hasOutcome: outcome !== null,
      hasRecording,
      outcomeState: `${outcomeState}`,
      isAwaited: recordingDueAt !== undefined,
      event: Option.match(event, { onNone: () => "none", onSome: ({ createdAt }) => seconds(createdAt) })
    }))
  )

const seconds = (at: DateTime.Utc) => (at.epochMilliseconds - Factories.start.epochMilliseconds) / 1000

const evidence = {
  answers: {
    "Does Tuesday suit you?": { status: "verified", quote: "ja, gern \u0000", sequence: 2 },
    "When?": { status: "unknown" }
  },
  promptVersion: "outcome-1",
  usage: [{ model: "small", requests: 1, inputTokens: 900, outputTokens: 20 }]
} as const

export const cases: Cases = {
  "gives the outcome of a completed call to one claimer, and to another when that one has gone": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const callId = yield* talkedTo(fixture)
      assert.isTrue(yield* Fixture.isDue(fixture, "outcome", 20))
      assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 20), [callId])
      assert.isFalse(yield* Fixture.isDue(fixture, "outcome", 20))
      assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 79), [])
      assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 80), [callId])
    }
  ),

  "makes no outcome of a call that ended without a conversation": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const { answeredAt: _, answeredBy: __, ...talked } = Fixture.talked(5, 20)
    const end = { ...talked, result: "busy" as const }
    yield* Fixture.report(fixture, callId, 20, end)
    assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 80), [])
  }),

  "makes the outcome at once if the carrier's clock is ahead, and dates the end by the engine's": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId } = yield* Fixture.submitted(fixture)
      const ended = Fixture.talked(3605, 3620)
      yield* Fixture.report(fixture, callId, 20, ended)
      assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 20), [callId])
      const { answeredAt, endedAt } = yield* Fixture.get(fixture, callId)
      assert.deepStrictEqual({ answeredAt, endedAt }, { answeredAt: Factories.at(5), endedAt: Factories.at(20) })
    }
  ),

  "stores an outcome with the call's one terminal event": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const callId = yield* Fixture.complete(fixture)
    const call = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(call.outcome, Factories.outcome)
    assert.isUndefined(call.transcript)
    const event = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId))
    assert.strictEqual(event.type, "call.completed")
    assert.strictEqual(JSON.parse(event.body).data.outcome.meeting.at, "2026-03-03T10:00:00+01:00")
  }),

  "stores the evidence of an outcome, and adds what all attempts took to the usage of the call": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const callId = yield* talkedTo(fixture)
      const token = Factories.token()
      yield* claimOutcomes(fixture, token, 20)
      const failed = { model: "small", requests: 3, inputTokens: 2700, outputTokens: 60 }
      yield* settle(fixture, callId, token, { _tag: "RetryAt", at: Factories.at(30), usage: [failed] }, 21)
      assert.deepStrictEqual((yield* Fixture.get(fixture, callId)).usage, [failed])
      const retrying = Factories.token()
      yield* claimOutcomes(fixture, retrying, 30)
      const outcome = { ...Factories.outcome, evidence }
      yield* settle(fixture, callId, retrying, { _tag: "Stored", outcome, usage: evidence.usage }, 31)
      const call = yield* Fixture.get(fixture, callId)
      const usage = [{ model: "small", requests: 4, inputTokens: 3600, outputTokens: 80 }]
      assert.deepStrictEqual([call.outcome, call.usage], [outcome, usage])
      const { data } = JSON.parse(Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId)).body)
      assert.deepStrictEqual(data.outcome.evidence, {
        answers: evidence.answers,
        prompt_version: "outcome-1",
        usage: [{ model: "small", requests: 1, input_tokens: 900, output_tokens: 20 }]
      })
      assert.deepStrictEqual(data.usage, [{ model: "small", requests: 4, input_tokens: 3600, output_tokens: 80 }])
    }
  ),

  "deletes the evidence with the transcript that it quotes, and nothing else of the outcome": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const summary = "\u0000 \ud800 They said \"ja\"."
    const stored = Effect.fnUntraced(function*(outcome: Outcome.Outcome) {
      const callId = yield* talkedTo(fixture)
      const token = Factories.token()
      yield* claimOutcomes(fixture, token, 20)
      yield* settle(fixture, callId, token, { _tag: "Stored", outcome }, 21)
      return callId
    })
    const callIds = [
      yield* stored({ ...Factories.outcome, summary, evidence }),
      yield* stored({ ...Factories.outcome, summary })
    ]
    assert.strictEqual(yield* storage.privacy.deleteTranscripts({ accountId, callIds }), 2)
    for (const callId of callIds) {
      const { outcome } = yield* Fixture.get(fixture, callId)
      assert.deepStrictEqual(outcome, { ...Factories.outcome, summary, transcript: [] })
    }
  }),

  "writes no event of a completed call before its outcome": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    assert.deepStrictEqual(yield* Fixture.terminalEvent(fixture, yield* talkedTo(fixture)), Option.none())
  }),

  "accepts no outcome from a claimer that lost its claim": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const callId = yield* talkedTo(fixture)
    const lost = Factories.token()
    const token = Factories.token()
    yield* claimOutcomes(fixture, lost, 20)
    yield* claimOutcomes(fixture, token, 80)
    yield* settle(fixture, callId, lost, { _tag: "GivenUp" }, 81)
    assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "pending")
    yield* settle(fixture, callId, token, { _tag: "Stored", outcome: Factories.outcome }, 82)
    yield* settle(fixture, callId, token, { _tag: "GivenUp" }, 83)
    assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "stored")
  }),

  "retries an outcome when it is asked to": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const callId = yield* talkedTo(fixture)
    const token = Factories.token()
    yield* claimOutcomes(fixture, token, 20)
    yield* settle(fixture, callId, token, { _tag: "RetryAt", at: Factories.at(30) }, 21)
    assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 29), [])
    assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 30), [callId])
  }),

  "waits for no announced recording that came before the end, or before the outcome": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const before = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, before.callId, 20, Fixture.answered(5), { _tag: "Recorded" }, announcement)
    yield* makeAt(fixture, before.callId, made, 21)
    const between = yield* announced(fixture)
    yield* recorded(fixture, between, 22)
    yield* makeAt(fixture, between, made, 23)
    const reported = { hasOutcome: true, hasRecording: true, outcomeState: "stored", isAwaited: false }
    assert.deepStrictEqual(yield* stateOf(fixture, before.callId), { ...reported, event: 21 })
    assert.deepStrictEqual(yield* stateOf(fixture, between), { ...reported, event: 23 })
  }),

  "reports a call when its announced recording has come, with the outcome that was made before": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const callId = yield* announced(fixture)
      yield* makeAt(fixture, callId, made, 21)
      const waiting = { hasOutcome: true, hasRecording: false, outcomeState: "awaiting_recording", isAwaited: true }
      assert.deepStrictEqual(yield* stateOf(fixture, callId), { ...waiting, event: "none" })
      assert.isFalse(yield* Fixture.isDue(fixture, "outcome", 79.999))
      assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 79.999), [])
      assert.deepStrictEqual(yield* recorded(fixture, callId, 50), ["changed"])
      assert.deepStrictEqual(yield* recorded(fixture, callId, 50.5), ["ignored"])
      assert.isTrue(yield* Fixture.isDue(fixture, "outcome", 50))
      yield* makeAt(fixture, callId, { _tag: "Reported" }, 51)
      const reported = { hasOutcome: true, hasRecording: true, outcomeState: "stored", isAwaited: false, event: 51 }
      assert.deepStrictEqual(yield* stateOf(fixture, callId), reported)
      const { data } = JSON.parse(Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId)).body)
      assert.strictEqual(data.outcome.disposition, Factories.outcome.disposition)
      assert.isFalse(yield* Fixture.isDue(fixture, "outcome", 1000))
    }
  ),

  "reports a call without its announced recording after a minute; a later one appears on the call alone": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const [late, never] = [yield* announced(fixture), yield* announced(fixture)]
      for (const callId of [late, never]) {
        const token = Factories.token()
        yield* claimOutcomes(fixture, token, 21)
        yield* settle(fixture, callId, token, { _tag: "GivenUp" }, 21)
        // The claim took both.
        yield* settle(fixture, callId === late ? never : late, token, { _tag: "GivenUp" }, 21)
      }
      const token = Factories.token()
      assert.sameMembers(yield* claimOutcomes(fixture, token, 80), [late, never])
      // It comes while another node reports the call.
      yield* recorded(fixture, late, 80)
      for (const callId of [late, never]) yield* settle(fixture, callId, token, { _tag: "Reported" }, 81)
      yield* recorded(fixture, never, 500)
      const reported = { hasOutcome: false, hasRecording: true, outcomeState: "given_up", isAwaited: false, event: 81 }
      for (const callId of [late, never]) assert.deepStrictEqual(yield* stateOf(fixture, callId), reported)
    }
  ),

  "reports a call at once when its announced recording will not come": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const notRecorded = { _tag: "NotRecorded" } as const
    const before = yield* announced(fixture)
    assert.deepStrictEqual(yield* Fixture.report(fixture, before, 21, notRecorded, notRecorded), ["changed", "ignored"])
    yield* makeAt(fixture, before, made, 22)
    const after = yield* announced(fixture)
    yield* makeAt(fixture, after, made, 23)
    assert.deepStrictEqual(yield* Fixture.report(fixture, after, 25, notRecorded), ["changed"])
    assert.isTrue(yield* Fixture.isDue(fixture, "outcome", 25))
    yield* makeAt(fixture, after, { _tag: "Reported" }, 26)
    const reported = { hasOutcome: true, hasRecording: false, outcomeState: "stored", isAwaited: false }
    assert.deepStrictEqual(yield* stateOf(fixture, before), { ...reported, event: 22 })
    assert.deepStrictEqual(yield* stateOf(fixture, after), { ...reported, event: 26 })
    assert.deepStrictEqual(yield* Fixture.report(fixture, after, 27, notRecorded), ["ignored"])
    assert.deepStrictEqual(yield* Fixture.report(fixture, Factories.callId(), 27, notRecorded), ["ignored"])
  }),

  "waits for no announced recording of which the carrier said before the end that it will not come": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const notRecorded = { _tag: "NotRecorded" } as const
      const { callId } = yield* Fixture.submitted(fixture)
      const reports = [Fixture.answered(5), notRecorded, notRecorded, announcement] as const
      assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 20, ...reports), [
        "changed",
        "changed",
        "ignored",
        "changed"
      ])
      yield* makeAt(fixture, callId, made, 21)
      const reported = { hasOutcome: true, hasRecording: false, outcomeState: "stored", isAwaited: false, event: 21 }
      assert.deepStrictEqual(yield* stateOf(fixture, callId), reported)
      // It has come after all, as of a carrier that contradicts itself.
      const { callId: other } = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, other, 30, Fixture.answered(5), notRecorded)
      yield* Fixture.report(fixture, other, 40, { _tag: "Recorded" }, announcement)
      yield* makeAt(fixture, other, made, 41)
      assert.deepStrictEqual(yield* stateOf(fixture, other), { ...reported, hasRecording: true, event: 41 })
      // Nothing of it is left of a call that was not answered.
      const unanswered = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, unanswered.callId, 50, notRecorded, {
        _tag: "Ended",
        at: Factories.at(50),
        result: "busy",
        recorded: false
      })
      assert.isUndefined((yield* Fixture.get(fixture, unanswered.callId)).recordingDueAt)
    }
  ),

  "does not wait for an announced recording when the outcome takes longer": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const callId = yield* announced(fixture)
    yield* makeAt(fixture, callId, { _tag: "RetryAt", at: Factories.at(90) }, 21)
    yield* makeAt(fixture, callId, made, 90)
    const reported = { hasOutcome: true, hasRecording: false, outcomeState: "stored", isAwaited: false, event: 90 }
    assert.deepStrictEqual(yield* stateOf(fixture, callId), reported)
  }),

  "gives the report of a call that waits for its recording to one claimer, and takes no other result for it": Effect
    .gen(
      function*() {
        const fixture = yield* Fixture.make()
        const callId = yield* announced(fixture)
        const early = Factories.token()
        yield* claimOutcomes(fixture, early, 21)
        yield* settle(fixture, callId, early, { _tag: "Reported" }, 21)
        assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "pending")
        yield* settle(fixture, callId, early, made, 22)
        yield* settle(fixture, callId, early, { _tag: "GivenUp" }, 23)
        const [lost, token] = [Factories.token(), Factories.token()]
        yield* claimOutcomes(fixture, lost, 80)
        assert.deepStrictEqual(yield* claimOutcomes(fixture, token, 139), [])
        assert.deepStrictEqual(yield* claimOutcomes(fixture, token, 140), [callId])
        yield* settle(fixture, callId, lost, { _tag: "Reported" }, 141)
        yield* settle(fixture, callId, token, made, 142)
        assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "awaiting_recording")
        yield* settle(fixture, callId, token, { _tag: "Reported" }, 143)
        assert.strictEqual((yield* stateOf(fixture, callId)).event, 143)
      }
    ),

  "adds the number of an opt-out to the do-not-call list at once, and not again when the recording comes": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const callId = yield* announced(fixture)
      const { phoneNumber } = yield* Fixture.get(fixture, callId)
      const isListed = Effect.map(storage.doNotCall.get(accountId, phoneNumber), Option.isSome)
      yield* makeAt(fixture, callId, { _tag: "Stored", outcome: { ...Factories.outcome, doNotCall: true } }, 21)
      assert.isTrue(yield* isListed)
      yield* storage.doNotCall.remove(accountId, phoneNumber)
      yield* recorded(fixture, callId, 30)
      yield* makeAt(fixture, callId, { _tag: "Reported" }, 30)
      assert.isFalse(yield* isListed)
    }
  ),

  "waits for no recording of a call that was not completed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 20, Fixture.answered(5), { ...announcement, transcript: [] })
    const { recordingDueAt, status } = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual([status, recordingDueAt], ["no_answer", undefined])
    assert.strictEqual((yield* stateOf(fixture, callId)).event, 20)
    assert.deepStrictEqual(yield* recorded(fixture, callId, 30), ["discard"])
  }),

  "erases and deletes no call that waits for its recording": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const callId = yield* announced(fixture)
    yield* makeAt(fixture, callId, made, 21)
    const before = Factories.at(86_400)
    assert.deepStrictEqual(yield* storage.privacy.oldTranscripts({ accountId, before, limit: 10 }), [])
    yield* recorded(fixture, callId, 30)
    yield* makeAt(fixture, callId, { _tag: "Reported" }, 30)
    assert.lengthOf(yield* storage.privacy.oldTranscripts({ accountId, before, limit: 10 }), 1)
  }),

  "shows who has answered by a verdict after the end, in the event too if that is not sent yet": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const verdict = { _tag: "Verdict", by: "voicemail" } as const
      const after = yield* Fixture.complete(fixture)
      const before = yield* talkedTo(fixture)
      for (const callId of [before, after]) {
        const { answeredBy: _, ...call } = yield* Fixture.get(fixture, callId)
        // The carrier is to end what may still live.
        assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 25, verdict, verdict), ["hang_up", "hang_up"])
        const { answeredBy, machine, ...judged } = yield* Fixture.get(fixture, callId)
        assert.deepStrictEqual([answeredBy, machine], ["voicemail", "voicemail"])
        assert.deepStrictEqual<object>(judged, call)
      }
      yield* makeAt(fixture, before, made, 30)
      const shown = (callId: Ids.CallId) =>
        Effect.map(Fixture.terminalEvent(fixture, callId), (event) => JSON.parse(Option.getOrThrow(event).body).data)
      assert.deepInclude(yield* shown(before), { answered_by: "voicemail", status: "completed" })
      assert.deepInclude(yield* shown(after), { answered_by: "human", status: "completed" })
      // Nobody has answered it.
      const busy = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, busy.callId, 40, {
        _tag: "Ended",
        at: Factories.at(40),
        result: "busy",
        recorded: false
      })
      const ended = yield* Fixture.get(fixture, busy.callId)
      assert.deepStrictEqual(yield* Fixture.report(fixture, busy.callId, 41, verdict), ["hang_up"])
      assert.deepStrictEqual(yield* Fixture.get(fixture, busy.callId), ended)
    }
  ),

  "reports a call whose outcome was abandoned, without one": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const callId = yield* talkedTo(fixture)
    const token = Factories.token()
    yield* claimOutcomes(fixture, token, 20)
    yield* settle(fixture, callId, token, { _tag: "GivenUp" }, 620)
    const event = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId))
    assert.strictEqual(event.type, "call.completed")
    assert.isNull(JSON.parse(event.body).data.outcome)
  })
}
