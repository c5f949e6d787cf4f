/** The logs of conversations: who may write them, and what is in them. */
import { assert } from "@effect/vitest"
import { type Ids, Limits } from "@outdial/core"
import { Duration, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"
import { acquire, append, claimOutcomes, hello, hungUp, read, said, seal, talking, yes } from "../ConversationSteps.ts"

const lease = Duration.toSeconds(Limits.conversationLease)

export const cases: Cases = {
  "opens the log of a live call for one process, and for another when the lease has run out": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const first = Option.getOrThrow(yield* acquire(fixture, callId, 5))
    assert.deepStrictEqual([first.generation, first.entries], [1, []])
    assert.deepStrictEqual(first.call, yield* Fixture.get(fixture, callId))
    assert.strictEqual(first.call.conversation, "open")
    assert.strictEqual(first.agent.id, fixture.agentId)
    assert.isTrue(Option.isNone(yield* acquire(fixture, callId, 5 + lease - 0.001)))
    assert.strictEqual(Option.getOrThrow(yield* acquire(fixture, callId, 5 + lease)).generation, 2)
  }),

  "says who has the conversation of a call": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 10 })
    const { accountId, storage } = fixture
    const [ringing, answered] = [yield* Fixture.submitted(fixture), yield* Fixture.submitted(fixture)]
    yield* Fixture.report(fixture, answered.callId, 5, Fixture.answered(5))
    const [held, sealed, waiting] = [yield* talking(fixture), yield* talking(fixture), yield* talking(fixture)]
    yield* seal(fixture, sealed, 6)
    // It waits for its last words.
    yield* Fixture.report(fixture, waiting.callId, 6, hungUp(6))
    const all = [ringing.callId, answered.callId, held.callId, sealed.callId, waiting.callId, Factories.callId()]
    const holding = (seconds: number) =>
      Effect.forEach(all, (callId) => storage.conversations.holding({ accountId, callId, now: Factories.at(seconds) }))
    assert.deepStrictEqual(yield* holding(5 + lease - 0.001), ["none", "left", "held", "over", "over", "none"])
    assert.deepStrictEqual(yield* holding(5 + lease), ["none", "left", "left", "over", "over", "none"])
    yield* append(fixture, held, 5 + lease)
    assert.strictEqual((yield* holding(6 + lease))[2], "held")
    yield* Fixture.report(fixture, answered.callId, 30, Fixture.talked(5, 30))
    assert.strictEqual((yield* holding(30))[1], "over")
    const other = yield* Fixture.make()
    const { callId } = held
    const ofOther = storage.conversations.holding({ accountId: other.accountId, callId, now: Factories.at(6) })
    assert.strictEqual(yield* ofOther, "none")
  }),

  "opens a log for one of twenty processes that ask at once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const acquired = yield* Effect.all(Array.from({ length: 20 }, () => acquire(fixture, callId, 5)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(acquired.flatMap((one) => Option.isSome(one) ? [one.value.generation] : []), [1])
  }),

  "gives the log to the process that its line has moved to, and refuses every write of the other": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const old = yield* talking(fixture)
      yield* append(fixture, old, 6, hello)
      const taken = Option.getOrThrow(yield* acquire(fixture, old.callId, 7, { takesOver: true }))
      assert.deepStrictEqual([taken.generation, taken.entries], [2, [{ sequence: 1, entry: hello }]])
      assert.isFalse(yield* append(fixture, old, 8, yes))
      assert.isFalse(yield* append(fixture, old, 8))
      assert.isFalse(yield* seal(fixture, old, 8))
      assert.isUndefined((yield* Fixture.get(fixture, old.callId)).contactSpokeAt)
      assert.isTrue(yield* append(fixture, { ...old, generation: 2 }, 8, yes))
      assert.deepStrictEqual((yield* read(fixture, old.callId)).entries, [
        { sequence: 1, entry: hello },
        { sequence: 2, entry: yes }
      ])
    }
  ),

  "opens no log of a call that is unknown, was not dialed or has ended, or whose log is sealed": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const queued = yield* Fixture.start(fixture, { dueAt: Factories.at(1000) })
      const ended = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, ended.callId, 6, hungUp(6))
      const sealed = yield* talking(fixture)
      assert.isTrue(yield* seal(fixture, sealed, 6))
      const claimed = yield* Fixture.start(fixture)
      yield* Fixture.claim(fixture, { at: 6 })
      for (const callId of [Factories.callId(), queued.id, ended.callId, sealed.callId, claimed.id]) {
        assert.isTrue(Option.isNone(yield* acquire(fixture, callId, 100, { takesOver: true })))
      }
      const other = yield* Fixture.make()
      assert.isTrue(Option.isNone(yield* acquire(other, (yield* Fixture.submitted(fixture, {}, 6)).callId, 7)))
    }
  ),

  "renews the lease with every append, also without entries": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    assert.isTrue(yield* append(fixture, writer, 14, hello))
    assert.isTrue(yield* append(fixture, writer, 23))
    assert.isTrue(Option.isNone(yield* acquire(fixture, writer.callId, 23 + lease - 0.001)))
    assert.deepStrictEqual((yield* read(fixture, writer.callId)).entries, [{ sequence: 1, entry: hello }])
    assert.isTrue(Option.isSome(yield* acquire(fixture, writer.callId, 23 + lease)))
  }),

  "appends to the logs of several accounts together, and says which were refused": Effect.gen(function*() {
    const [fixture, other] = [yield* Fixture.make(), yield* Fixture.make()]
    const { storage } = fixture
    const [one, two, sealed] = [yield* talking(fixture), yield* talking(fixture), yield* talking(fixture)]
    const foreign = yield* talking(other)
    yield* seal(fixture, sealed, 6)
    const log = ({ accountId }: Fixture.Fixture, writer: typeof one, entries: ReadonlyArray<typeof yes>) => ({
      accountId,
      ...writer,
      entries
    })
    const logs = [
      log(fixture, two, [hello, yes]),
      log(fixture, sealed, [yes]),
      log(other, foreign, [yes]),
      log(other, one, [yes]),
      log(fixture, { ...one, generation: 7 }, [yes]),
      log(fixture, one, [hello]),
      log(fixture, one, [yes])
    ]
    assert.deepStrictEqual(
      yield* storage.conversations.append({ now: Factories.at(7), logs }),
      [true, false, true, false, false, true, true]
    )
    for (const [from, { callId }] of [[fixture, one], [fixture, two]] as const) {
      assert.deepStrictEqual((yield* read(from, callId)).entries.map(({ entry }) => entry), [hello, yes])
    }
    assert.deepStrictEqual((yield* read(other, foreign.callId)).entries, [{ sequence: 1, entry: yes }])
    assert.deepStrictEqual(yield* storage.conversations.append({ now: Factories.at(7), logs: [] }), [])
  }),

  "numbers the entries without gaps when twenty appends come at once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    const turns = Array.from({ length: 20 }, (_, index) => said(index % 2 === 0 ? "agent" : "contact", `Turn ${index}`))
    yield* Effect.all(turns.map((turn) => append(fixture, writer, 6, turn, hello)), { concurrency: "unbounded" })
    const { entries } = yield* read(fixture, writer.callId)
    assert.deepStrictEqual(entries.map(({ sequence }) => sequence), Array.from({ length: 40 }, (_, index) => index + 1))
    assert.sameDeepMembers(
      entries.map(({ entry }) => entry).filter((entry) => entry !== hello && !isHello(entry)),
      turns
    )
  }),

  "stores an entry as it was given": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    const entries = [
      { ...said("agent", "Grüße \u0000 \u2028 \ud83d\ude00 'quoted' \"twice\" \\"), interrupted: true },
      { _tag: "Noted", at: 1, note: { _tag: "Answer", question: "When?", answer: "Tuesday" } },
      { _tag: "ToolIntent", at: 2, id: "1", name: "book", arguments: { at: [1.5, null, { deep: "ä" }] } },
      { _tag: "ToolResult", at: 3, id: "1", result: null },
      { _tag: "ToolIntent", at: 3, id: "2", name: "find", arguments: {} },
      { _tag: "ToolResult", at: 3, id: "2", result: "\u0000 \ud800 {\"a\": 1}", problem: "failed" },
      { _tag: "Failed", at: 4, cause: "No answer" },
      { _tag: "Machine", at: 5, kind: "ivr" },
      { _tag: "ModelUsed", at: 5, model: "gpt-5-mini", inputTokens: 900, outputTokens: 20 },
      { _tag: "Over", at: 5, reason: "agent_ended" }
    ] as const
    yield* append(fixture, writer, 6, ...entries)
    assert.deepStrictEqual((yield* read(fixture, writer.callId)).entries.map(({ entry }) => entry), [...entries])
  }),

  "reads the entries after a sequence number, and none of a call without a log": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    yield* append(fixture, writer, 6, hello, yes, hello)
    assert.deepStrictEqual(yield* read(fixture, writer.callId, { after: 1, limit: 1 }), {
      entries: [{ sequence: 2, entry: yes }],
      isSealed: false
    })
    assert.deepStrictEqual(yield* read(fixture, writer.callId, { after: 3 }), { entries: [], isSealed: false })
    const { id } = yield* Fixture.start(fixture)
    for (const callId of [id, Factories.callId()]) {
      assert.deepStrictEqual(yield* read(fixture, callId), { entries: [], isSealed: false })
    }
    assert.deepStrictEqual(yield* read(yield* Fixture.make(), writer.callId), { entries: [], isSealed: false })
    yield* seal(fixture, writer, 7)
    assert.deepStrictEqual(yield* read(fixture, writer.callId), { entries: [], isSealed: true })
  }),

  "reads a long log from every place, however its entries were appended": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    const turns = Array.from({ length: 40 }, (_, index) => said(index % 2 === 0 ? "agent" : "contact", `Turn ${index}`))
    let at = 0
    for (const count of [3, 5, 1, 20, 0, 11]) {
      assert.isTrue(yield* append(fixture, writer, 6, ...turns.slice(at, at += count)))
    }
    const all = turns.map((entry, index) => ({ sequence: index + 1, entry }))
    for (const limit of [1, 8, 9, 100]) {
      for (let after = 0; after <= turns.length; after++) {
        const { entries } = yield* read(fixture, writer.callId, { after, limit })
        assert.deepStrictEqual(entries, all.slice(after, after + limit), `${limit} after ${after}`)
      }
    }
    const taken = Option.getOrThrow(yield* acquire(fixture, writer.callId, 7, { takesOver: true }))
    assert.deepStrictEqual(taken.entries, all)
    yield* seal(fixture, { callId: writer.callId, generation: taken.generation }, 8)
    const { transcript } = yield* Fixture.get(fixture, writer.callId)
    assert.deepStrictEqual(transcript?.map(({ text }) => text), turns.map(({ text }) => text))
  }),

  "reads many logs at once, of any accounts, each from its place": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const other = yield* Fixture.make()
    const [one, two] = [yield* talking(fixture), yield* talking(fixture)]
    const foreign = yield* talking(other)
    yield* append(fixture, one, 6, hello, yes, hello)
    yield* append(other, foreign, 6, yes)
    const logs = [
      { accountId: fixture.accountId, callId: one.callId, after: 2 },
      { accountId: other.accountId, callId: foreign.callId, after: 0 },
      { accountId: fixture.accountId, callId: two.callId, after: 0 },
      // The same log twice, from two places.
      { accountId: fixture.accountId, callId: one.callId, after: 0 },
      { accountId: fixture.accountId, callId: foreign.callId, after: 0 }
    ]
    assert.deepStrictEqual(yield* fixture.storage.conversations.readMany({ logs, limit: 2 }), [
      { entries: [{ sequence: 3, entry: hello }], isFinal: false },
      { entries: [{ sequence: 1, entry: yes }], isFinal: false },
      { entries: [], isFinal: false },
      { entries: [{ sequence: 1, entry: hello }, { sequence: 2, entry: yes }], isFinal: false },
      { entries: [], isFinal: true }
    ])
    assert.deepStrictEqual(yield* fixture.storage.conversations.readMany({ logs: [], limit: 2 }), [])
  }),

  "knows when no entry can follow: after the seal, after an end without a log, and of an unknown call": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const isFinal = (callId: Ids.CallId) =>
        Effect.map(
          storage.conversations.readMany({ logs: [{ accountId, callId, after: 0 }], limit: 1 }),
          ([page]) => page?.isFinal
        )
      const queued = yield* Fixture.start(fixture, { dueAt: Factories.at(1000) })
      assert.isFalse(yield* isFinal(queued.id))
      const withoutLog = (yield* Fixture.submitted(fixture)).callId
      assert.isFalse(yield* isFinal(withoutLog))
      yield* Fixture.report(fixture, withoutLog, 20, Fixture.talked(5, 20))
      assert.isTrue(yield* isFinal(withoutLog))
      const writer = yield* talking(fixture)
      yield* append(fixture, writer, 6, yes)
      yield* Fixture.report(fixture, writer.callId, 8, hungUp(8))
      assert.strictEqual((yield* Fixture.get(fixture, writer.callId)).status, "completed")
      assert.isFalse(yield* isFinal(writer.callId))
      yield* seal(fixture, writer, 9)
      assert.isTrue(yield* isFinal(writer.callId))
      assert.isTrue(yield* isFinal(Factories.callId()))
    }
  ),

  "marks the call at the first words of the contact, and at nothing else": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    const spokeAt = Effect.map(Fixture.get(fixture, writer.callId), ({ contactSpokeAt }) => contactSpokeAt)
    yield* append(fixture, writer, 6, hello, said("contact", " \u200b\n"))
    assert.isUndefined(yield* spokeAt)
    yield* append(fixture, writer, 7, yes)
    yield* append(fixture, writer, 8, yes)
    assert.deepStrictEqual(yield* spokeAt, Factories.at(7))
  }),

  "seals a log once: its turns with their times become the transcript, its notes the notes, and its tokens the usage":
    Effect.gen(
      function*() {
        const fixture = yield* Fixture.make()
        const writer = yield* talking(fixture)
        const note = { _tag: "Answer", question: "When?", answer: "Tuesday" } as const
        const used = { _tag: "ModelUsed", at: 1, model: "small", inputTokens: 900, outputTokens: 20 } as const
        const noted = { _tag: "Noted", at: 1, note } as const
        yield* append(fixture, writer, 6, noted, { ...hello, interrupted: true }, yes, noted)
        yield* append(fixture, writer, 6, used, { ...used, model: "large" }, { ...used, inputTokens: 100 })
        assert.isTrue(yield* seal(fixture, writer, 7))
        const { conversation, notes, transcript, usage } = yield* Fixture.get(fixture, writer.callId)
        assert.deepStrictEqual({ conversation, notes, transcript, usage }, {
          conversation: "sealed",
          notes: [note, { ...note, sequence: 2 }],
          usage: [
            { model: "small", requests: 2, inputTokens: 1000, outputTokens: 40 },
            { model: "large", requests: 1, inputTokens: 900, outputTokens: 20 }
          ],
          transcript: [
            { speaker: "agent", text: "Hello", startMs: 1000, endMs: 1500, interrupted: true },
            { speaker: "contact", text: "Yes, gladly", startMs: 2000, endMs: 2500 }
          ]
        })
        assert.isFalse(yield* seal(fixture, writer, 8))
        assert.isFalse(yield* append(fixture, writer, 8, yes))
        assert.isFalse(yield* append(fixture, { ...writer, generation: writer.generation + 1 }, 8))
      }
    ),

  "folds every entry that was accepted when appends and the seal come at once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    yield* append(fixture, writer, 6, yes)
    const turns = Array.from({ length: 10 }, (_, index) => said("contact", `Turn ${index}`))
    const work = [...turns.map((turn) => append(fixture, writer, 7, turn)), seal(fixture, writer, 7)]
    const done = yield* Effect.all(work, { concurrency: "unbounded" })
    const accepted = turns.filter((_, index) => done[index]).map(({ text }) => text)
    const { transcript = [] } = yield* Fixture.get(fixture, writer.callId)
    assert.sameMembers(transcript.map(({ text }) => text), ["Yes, gladly", ...accepted])
    assert.deepStrictEqual(yield* read(fixture, writer.callId), { entries: [], isSealed: true })
  }),

  "stores the outcome without the notes that it was made from": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const writer = yield* talking(fixture)
    const note = { _tag: "OptOut" } as const
    yield* append(fixture, writer, 6, yes, { _tag: "Noted", at: 1, note })
    yield* seal(fixture, writer, 7)
    yield* Fixture.report(fixture, writer.callId, 8, hungUp(8))
    const expected = { callId: writer.callId, said: ["Yes, gladly"], notes: [note] }
    assert.deepStrictEqual(yield* claimOutcomes(fixture, 8), [expected])
    const token = Factories.token()
    yield* storage.outcomes.claim({ accountId, now: Factories.at(100), limit: 10, token })
    const result = { _tag: "Stored", outcome: Factories.outcome } as const
    yield* storage.outcomes.settle({
      accountId,
      token,
      now: Factories.at(100),
      results: [{ callId: writer.callId, result }],
      events: Fixture.eventsAt(100)
    })
    const call = yield* Fixture.get(fixture, writer.callId)
    assert.deepStrictEqual([call.outcome, call.notes, call.transcript], [Factories.outcome, undefined, undefined])
  })
}

const isHello = (entry: unknown): boolean =>
  typeof entry === "object" && entry !== null && "text" in entry && entry.text === "Hello"
