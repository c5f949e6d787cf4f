/** Deletion of old data. */
import { assert } from "@effect/vitest"
import type { Ids } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import { phoneNumbers, startBatch, started } from "../../call/BatchSteps.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const aDay = { day: "2026-03-02", from: Factories.at(-36_000), until: Factories.at(50_400) }

const later = Factories.at(90_000)

const key = (name: string) => Option.some({ key: name, fingerprint: name })

const isGone = ({ accountId, storage }: Fixture.Fixture, id: Ids.CallId) =>
  Effect.map(storage.calls.get(accountId, id), Option.isNone)

export const cases: Cases = {
  "deletes idempotency keys that are old enough, but none whose call still waits": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const ended = {
      status: "canceled",
      endedAt: Factories.start,
      phoneNumber: Factories.phoneNumber()
    } as const
    const waits = { phoneNumber: Factories.phoneNumber() }
    yield* Fixture.startResult(fixture, ended, key("ended"))
    yield* Fixture.startResult(fixture, waits, key("waits"))
    yield* Fixture.startResult(
      fixture,
      { ...ended, phoneNumber: Factories.phoneNumber(), createdAt: Factories.at(5) },
      key("younger")
    )
    const prune = storage.privacy.pruneIdempotencyKeys({ accountId, before: Factories.start, limit: 10 })
    assert.strictEqual(yield* prune, 1)
    assert.strictEqual(yield* prune, 0)
    assert.strictEqual((yield* Fixture.startResult(fixture, waits, key("waits")))._tag, "Replayed")
    assert.strictEqual((yield* Fixture.startResult(fixture, ended, key("ended")))._tag, "Started")
  }),

  "deletes unused request windows, and no others": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    yield* storage.access.takeFromWindow({ accountId, name: "old", now: Factories.start, limit: 1 })
    yield* storage.access.takeFromWindow({ accountId, name: "young", now: Factories.at(30), limit: 1 })
    assert.strictEqual(yield* storage.privacy.pruneRequestWindows({ accountId, before: Factories.at(5), limit: 10 }), 1)
    const verdict = yield* storage.access.takeFromWindow({ accountId, name: "young", now: Factories.at(31), limit: 1 })
    assert.isFalse(verdict.allowed)
  }),

  "deletes ended calls in small sets once their usage is folded, oldest first, and none that waits": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const first = yield* Fixture.complete(fixture)
      const second = yield* Fixture.complete(fixture, { createdAt: Factories.start })
      const waiting = yield* Fixture.start(fixture, { dueAt: DateTime.add(Factories.start, { days: 2 }) })
      const old = (limit: number) => storage.privacy.oldCalls({ accountId, before: later, limit })
      assert.deepStrictEqual(yield* old(10), [])
      yield* storage.usage.fold({ accountId, day: aDay })
      assert.deepStrictEqual(yield* old(1), [first])
      assert.deepStrictEqual(yield* old(10), [first, second])
      const callIds = [first, second, waiting.id]
      assert.strictEqual(yield* storage.privacy.deleteCalls({ accountId, before: later, callIds, limit: 10 }), 2)
      assert.deepStrictEqual(
        [yield* isGone(fixture, first), yield* isGone(fixture, second), yield* isGone(fixture, waiting.id)],
        [true, true, false]
      )
    }
  ),

  "deletes a batch when none of its calls is left": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const overrides = { status: "canceled", endedAt: Factories.start } as const
    const batch = started(yield* startBatch(fixture, { numbers: phoneNumbers(1), overrides }))
    const keep = started(yield* startBatch(fixture, { numbers: phoneNumbers(1) }))
    const callIds = batch.calls.map(({ id }) => id)
    yield* storage.privacy.deleteCalls({ accountId, before: later, callIds, limit: 10 })
    assert.isTrue(Option.isNone(yield* storage.calls.getBatch(accountId, batch.batch.id)))
    assert.isTrue(Option.isSome(yield* storage.calls.getBatch(accountId, keep.batch.id)))
  }),

  "deletes transcript and recording of old calls, and nothing else": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const callId = yield* Fixture.complete(fixture)
    const before = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(yield* storage.privacy.oldTranscripts({ accountId, before: later, limit: 10 }), [callId])
    assert.strictEqual(yield* storage.privacy.deleteTranscripts({ accountId, callIds: [callId] }), 1)
    assert.deepStrictEqual(yield* storage.privacy.oldTranscripts({ accountId, before: later, limit: 10 }), [])
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), {
      ...before,
      hasRecording: false,
      outcome: { ...Factories.outcome, transcript: [] }
    })
  }),

  "remembers the recordings that calls lose, until their files are removed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const unwanted = storage.privacy.unwantedRecordings({ accountId, limit: 10 })
    const isDue = Fixture.isDue(fixture, "sweep", 100)
    const recorded = { _tag: "Recorded" } as const
    const silence = { ...Fixture.talked(5, 20), transcript: [], recorded: false }
    const voicemail = { ...Fixture.talked(5, 20), answeredBy: "voicemail", recorded: false } as const
    const ends = [[recorded, silence], [recorded, voicemail], [{ ...silence, recorded: true }]]
    const lost: Array<Ids.CallId> = []
    for (const end of ends) {
      const { callId } = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, callId, 5, Fixture.answered(5))
      for (const event of end) yield* Fixture.report(fixture, callId, 20, event)
      assert.isFalse((yield* Fixture.get(fixture, callId)).hasRecording)
      lost.push(callId)
    }
    assert.deepStrictEqual(yield* unwanted, lost.toSorted())
    assert.isTrue(yield* isDue)
    yield* storage.privacy.forgetRecordings({ accountId, callIds: lost })
    assert.deepStrictEqual(yield* unwanted, [])
    assert.isFalse(yield* isDue)
    const [old, older] = [yield* Fixture.complete(fixture), yield* Fixture.complete(fixture)]
    assert.deepStrictEqual(yield* unwanted, [])
    yield* storage.privacy.deleteTranscripts({ accountId, callIds: [old] })
    assert.deepStrictEqual(yield* unwanted, [old])
    yield* storage.usage.fold({ accountId, day: aDay })
    yield* storage.privacy.deleteCalls({ accountId, before: later, callIds: [old, older], limit: 10 })
    assert.deepStrictEqual(yield* unwanted, [old, older].toSorted())
  }),

  "keeps a transcript while its outcome is pending": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
    const before = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(yield* storage.privacy.oldTranscripts({ accountId, before: later, limit: 10 }), [])
    assert.strictEqual(yield* storage.privacy.deleteTranscripts({ accountId, callIds: [callId] }), 0)
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), before)
  }),

  "announces the sweep of an account whose retention has ended, and of no other": Effect.gen(function*() {
    const days = { ...Factories.openPolicy, retention: { callDays: 30 } }
    const fixture = yield* Fixture.make({ policy: days })
    const keeping = yield* Fixture.make()
    yield* Fixture.complete(fixture)
    yield* Fixture.complete(keeping)
    const due = (one: Fixture.Fixture, day: number) => Fixture.isDue(one, "sweep", day * 86_400)
    assert.deepStrictEqual([yield* due(fixture, 29), yield* due(fixture, 30)], [false, true])
    assert.isFalse(yield* due(keeping, 400))
    const talks = yield* Fixture.make({ policy: { ...Factories.openPolicy, retention: { transcriptDays: 40 } } })
    const callId = yield* Fixture.complete(talks)
    assert.deepStrictEqual([yield* due(talks, 39), yield* due(talks, 40)], [false, true])
    yield* talks.storage.privacy.deleteTranscripts({ accountId: talks.accountId, callIds: [callId] })
    yield* talks.storage.privacy.forgetRecordings({ accountId: talks.accountId, callIds: [callId] })
    assert.isFalse(yield* due(talks, 40))
  })
}
