/** The outcomes of completed calls. */
import { assert } from "@effect/vitest"
import { type CallLife, type CarrierEvent, EventBodies, Ids } from "@outdial/core"
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

/** Reports at 20 s by a process that also makes outcomes. */
const reportTaking = (
  { accountId, storage }: Fixture.Fixture,
  callId: Ids.CallId,
  outcomeToken: Ids.ClaimToken,
  ...events: ReadonlyArray<CarrierEvent.CarrierEvent>
) =>
  storage.dispatch.report({
    accountId,
    now: Factories.at(20),
    reports: events.map((event) => ({ callId, event })),
    events: EventBodies.eventWriter(Factories.at(20)),
    outcomes: { token: outcomeToken, limit: 1 }
  })

/** A call that has completed at 20 s and waits for its outcome. */
const talkedTo = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { callId } = yield* Fixture.submitted(fixture)
  yield* Fixture.report(fixture, callId, 20, Fixture.answered(5), Fixture.talked(5, 20))
  return callId
})

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

  "claims the outcome for the writer of the end, if it asks for it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const token = Factories.token()
    const { answers, completed } = yield* reportTaking(
      fixture,
      callId,
      token,
      Fixture.answered(5),
      Fixture.talked(5, 20)
    )
    assert.deepStrictEqual(answers, ["changed", "changed"])
    const call = yield* Fixture.get(fixture, callId)
    const agent = yield* fixture.storage.agents.get(fixture.accountId, call.agentId)
    assert.deepStrictEqual(completed, [{ call, agent: Option.getOrThrow(agent) }])
    assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 79), [])
    yield* settle(fixture, callId, token, { _tag: "Stored", outcome: Factories.outcome }, 79)
    assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "stored")
  }),

  "returns the claimed outcomes again when an end is reported again under the same token, each once": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId } = yield* Fixture.submitted(fixture)
      const [token, ended] = [Factories.token(), Fixture.talked(5, 20)]
      const first = yield* reportTaking(fixture, callId, token, ended, ended)
      assert.deepStrictEqual(first.answers, ["changed", "ignored"])
      assert.deepStrictEqual(first.completed.map(({ call }) => call.id), [callId])
      const again = yield* reportTaking(fixture, callId, token, ended)
      assert.deepStrictEqual([again.answers, again.completed], [["ignored"], first.completed])
      const other = yield* reportTaking(fixture, callId, Factories.token(), ended)
      assert.deepStrictEqual(other.completed, [])
      yield* settle(fixture, callId, token, { _tag: "GivenUp" }, 30)
      assert.deepStrictEqual((yield* reportTaking(fixture, callId, token, ended)).completed, [])
    }
  ),

  "gives the outcome to another process when the writer of the end has gone": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const lost = Factories.token()
    yield* reportTaking(fixture, callId, lost, Fixture.talked(5, 20))
    assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 80), [callId])
    yield* settle(fixture, callId, lost, { _tag: "GivenUp" }, 81)
    assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "pending")
  }),

  "claims no more outcomes with their ends than there are slots, and leaves the others unclaimed": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const [first, second] = [yield* Fixture.submitted(fixture), yield* Fixture.submitted(fixture)]
      const reports = [first, first, second].map(({ callId }) => ({ callId, event: Fixture.talked(5, 20) }))
      const [now, outcomes] = [Factories.at(20), { token: Factories.token(), limit: 1 }]
      const report = storage.dispatch.report({
        accountId,
        now,
        reports,
        outcomes,
        events: EventBodies.eventWriter(now)
      })
      const { answers, completed } = yield* report
      assert.deepStrictEqual(answers, ["changed", "ignored", "changed"])
      assert.deepStrictEqual(completed.map(({ call }) => call.id), [first.callId])
      // Repeated after a lost response, it finds no slot for another.
      assert.deepStrictEqual((yield* report).completed, completed)
      assert.deepStrictEqual(yield* claimOutcomes(fixture, Factories.token(), 20), [second.callId])
    }
  ),

  "makes no outcome of a call that ended without a conversation": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const { answeredAt: _, answeredBy: __, ...talked } = Fixture.talked(5, 20)
    const end = { ...talked, result: "busy" as const }
    assert.deepStrictEqual((yield* reportTaking(fixture, callId, Factories.token(), end)).completed, [])
  }),

  "makes the outcome at once if the carrier's clock is ahead, and dates the end by the engine's": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId } = yield* Fixture.submitted(fixture)
      const ended = Fixture.talked(3605, 3620)
      const { completed } = yield* reportTaking(fixture, callId, Factories.token(), ended)
      assert.deepStrictEqual(completed.map(({ call }) => call.id), [callId])
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
