/** The outcomes of completed calls. */
import { assert } from "@effect/vitest"
import { type CallLife, EventBodies, Ids, type Outcome } from "@outdial/core"
import { Effect, Option } from "effect"
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
