/** How calls with conversations end: in every order of the last words, the end and the seal, and without any of them. */
import { assert } from "@effect/vitest"
import type { Call, Storage } from "@outdial/core"
import { Erasure, EventBodies, Ids } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import { submittedFor } from "../../storage/CarrierSteps.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"
import {
  acquire,
  append,
  claimOutcomes,
  hello,
  hungUp,
  read,
  said,
  seal,
  settleEnds,
  statusOf,
  talking,
  type Writer,
  yes
} from "../ConversationSteps.ts"

type Work = Effect.Effect<unknown, Storage.StorageError>

/** The steps at the end of a conversation, each at 20 s. */
const endings = (fixture: Fixture.Fixture, writer: Writer) => ({
  words: append(fixture, writer, 20, said("contact", "Goodbye")),
  end: Fixture.report(fixture, writer.callId, 20, hungUp(20)),
  seal: seal(fixture, writer, 20)
})

const orders = [
  ["words", "end", "seal"],
  ["words", "seal", "end"],
  ["end", "words", "seal"],
  ["end", "seal", "words"],
  ["seal", "words", "end"],
  ["seal", "end", "words"]
] as const

const completed = { status: "completed", statusCode: undefined, endedAt: Factories.at(20) } as const
const silent = { status: "no_answer", statusCode: "no_speech", endedAt: Factories.at(20) } as const

/** Whether the account has a free line for another call. */
const hasFreeLine = Effect.fnUntraced(function*(fixture: Fixture.Fixture, seconds: number) {
  const { id } = yield* Fixture.start(fixture)
  return (yield* Fixture.claim(fixture, { at: seconds })).claimed.some(({ call }) => call.id === id)
})

/** Does what every node does by itself, until a minute after the end; then the call has ended, and the log is empty. */
const settled = Effect.fnUntraced(function*(fixture: Fixture.Fixture, { callId }: Writer) {
  const { accountId, storage } = fixture
  const stale = yield* storage.dispatch.claimStaleCalls({
    accountId,
    carriers: [Factories.carrier],
    now: Factories.at(100),
    limit: 10
  })
  // The carrier does not know the call any more.
  const lost = hungUp(100, { result: "failed", code: "carrier_lost" })
  yield* Effect.forEach(stale, (call) => Fixture.report(fixture, call.callId, 100, lost))
  yield* settleEnds(fixture, 105)
  const [claimed] = yield* claimOutcomes(fixture, 105)
  assert.deepStrictEqual(yield* read(fixture, callId), { entries: [], isSealed: true })
  assert.isTrue(yield* hasFreeLine(fixture, 105))
  const { status, statusCode } = yield* Fixture.get(fixture, callId)
  return { status, statusCode, said: claimed?.said }
})

/** A call of a process that dies after these steps. */
const dead = (
  name: keyof typeof deaths,
  expected: { readonly status: string; readonly said?: ReadonlyArray<string> }
) =>
  Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const writer = yield* talking(fixture)
    const steps: ReadonlyArray<Work> = deaths[name](fixture, writer)
    for (const step of steps) yield* step
    const { said, status } = yield* settled(fixture, writer)
    assert.deepStrictEqual({ status, said }, { said: undefined, ...expected })
  })

const deaths = {
  "acquiring the log": () => [],
  "the agent's first words": (fixture, writer) => [append(fixture, writer, 6, hello)],
  "the contact's words": (fixture, writer) => [append(fixture, writer, 6, hello, yes)],
  "the end, without words": (fixture, writer) => [append(fixture, writer, 6, hello), endings(fixture, writer).end],
  "the end, with words": (fixture, writer) => [append(fixture, writer, 6, hello, yes), endings(fixture, writer).end],
  "words that follow the end": (fixture, writer) => [endings(fixture, writer).end, endings(fixture, writer).words],
  "the seal, without words": (fixture, writer) => [append(fixture, writer, 6, hello), endings(fixture, writer).seal],
  "the seal, with words": (fixture, writer) => [append(fixture, writer, 6, yes), endings(fixture, writer).seal]
} satisfies Readonly<Record<string, (fixture: Fixture.Fixture, writer: Writer) => ReadonlyArray<Work>>>

/** Answered calls that ended, with a transcript each. */
const answered = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const ends: ReadonlyArray<Parameters<typeof hungUp>[1]> = [
    {},
    { answeredBy: "voicemail" },
    { result: "failed", code: "carrier_lost" }
  ]
  return yield* Effect.forEach(ends, (end) =>
    Effect.gen(function*() {
      const writer = yield* talking(fixture)
      yield* append(fixture, writer, 6, hello, { _tag: "Noted", at: 1, note: { _tag: "OptOut" } })
      yield* Fixture.report(fixture, writer.callId, 20, hungUp(20, end))
      assert.isTrue(yield* seal(fixture, writer, 20))
      return writer.callId
    }))
})

const words = ({ notes, transcript }: Call.CallRecord) => ({ notes, transcript })

export const cases: Cases = {
  "completes a call whose contact has spoken, in every order of its last words, its end and the seal": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ lines: 10 })
      for (const order of orders) {
        const writer = yield* talking(fixture)
        yield* append(fixture, writer, 6, hello, yes)
        const steps = endings(fixture, writer)
        for (const step of order) yield* steps[step]
        assert.deepStrictEqual(yield* statusOf(fixture, writer.callId), completed, order.join(", "))
        const isLogged = order.indexOf("words") < order.indexOf("seal")
        assert.deepStrictEqual(yield* claimOutcomes(fixture, 20), [
          { callId: writer.callId, said: ["Hello", "Yes, gladly", ...isLogged ? ["Goodbye"] : []], notes: [] }
        ], order.join(", "))
      }
    }
  ),

  "ends a call by its only words, in every order of these, its end and the seal": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 10 })
    for (const order of orders) {
      const writer = yield* talking(fixture)
      const steps = endings(fixture, writer)
      for (const step of order) yield* steps[step]
      const isLogged = order.indexOf("words") < order.indexOf("seal")
      assert.deepStrictEqual(
        yield* statusOf(fixture, writer.callId),
        isLogged ? completed : silent,
        order.join(", ")
      )
      const event = Option.getOrUndefined(yield* Fixture.terminalEvent(fixture, writer.callId))
      assert.strictEqual(event?.type, isLogged ? undefined : "call.not_connected", order.join(", "))
      assert.lengthOf(yield* claimOutcomes(fixture, 20), isLogged ? 1 : 0, order.join(", "))
    }
  }),

  "waits five seconds for the words of a call that ended without any, and holds its line": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const { accountId, storage } = fixture
    const carrier = Ids.CarrierName.make("of lines that end")
    const { callId } = yield* submittedFor(fixture, carrier)
    yield* acquire(fixture, callId, 5)
    yield* Fixture.report(fixture, callId, 20, hungUp(20))
    const { lineEnd, status } = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual([status, lineEnd], ["in_progress", { at: Factories.at(20) }])
    assert.isFalse(yield* Fixture.isDue(fixture, "lease", 24.999))
    assert.strictEqual(yield* settleEnds(fixture, 24.999), 0)
    assert.isTrue(yield* Fixture.isDue(fixture, "lease", 25))
    // No carrier has to be asked: any node can end the call.
    const anywhere = yield* storage.work.accountsDue({
      kind: "lease",
      now: Factories.at(25),
      limit: 10_000,
      carriers: []
    })
    assert.include(anywhere, accountId)
    const stale = { accountId, carriers: [carrier], now: Factories.at(90), limit: 10 }
    assert.deepStrictEqual(yield* storage.dispatch.claimStaleCalls(stale), [])
    const stranded = yield* storage.stats.strandedCalls(Factories.at(900))
    assert.notInclude(stranded.map((calls) => calls.carrier), carrier)
    assert.strictEqual(yield* settleEnds(fixture, 25), 1)
    assert.strictEqual(yield* settleEnds(fixture, 25), 0)
    assert.deepStrictEqual(yield* statusOf(fixture, callId), silent)
    assert.isFalse(yield* Fixture.isDue(fixture, "lease", 900))
    assert.isTrue(yield* hasFreeLine(fixture, 25))
  }),

  "measures the five seconds from the report, when the carrier's clock is behind": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* talking(fixture)
    yield* Fixture.report(fixture, callId, 40, hungUp(20))
    assert.strictEqual(yield* settleEnds(fixture, 44.999), 0)
    assert.strictEqual(yield* settleEnds(fixture, 45), 1)
    assert.deepStrictEqual(yield* statusOf(fixture, callId), silent)
  }),

  "ends a call once when five nodes settle it, the log is sealed and the end is repeated at once": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const writer = yield* talking(fixture)
      yield* Fixture.report(fixture, writer.callId, 20, hungUp(20))
      const work: ReadonlyArray<Work> = [
        ...Array.from({ length: 5 }, () => settleEnds(fixture, 25)),
        ...Array.from({ length: 5 }, () => seal(fixture, writer, 25)),
        ...Array.from({ length: 5 }, () => Fixture.report(fixture, writer.callId, 25, hungUp(25)))
      ]
      yield* Effect.all(work, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* statusOf(fixture, writer.callId), silent)
      assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, writer.callId)))
    }
  ),

  "ignores what is reported of a call while it waits for its words, and has a live line ended": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* talking(fixture)
    yield* Fixture.report(fixture, callId, 20, hungUp(20))
    const before = yield* Fixture.get(fixture, callId)
    const late = [hungUp(21, { result: "failed" }), { _tag: "Alive" } as const, Fixture.answered(5)]
    assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 22, ...late), ["ignored", "hang_up", "hang_up"])
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), before)
    assert.isTrue(Option.isNone(yield* acquire(fixture, callId, 22, { takesOver: true })))
  }),

  "makes the outcome due at the seal, or five seconds after the end": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [sealed, unsealed] = [yield* talking(fixture), yield* talking(fixture)]
    for (const writer of [sealed, unsealed]) {
      yield* append(fixture, writer, 6, yes)
      yield* Fixture.report(fixture, writer.callId, 20, hungUp(20))
    }
    assert.isFalse(yield* Fixture.isDue(fixture, "outcome", 24.999))
    assert.isTrue(yield* seal(fixture, sealed, 21))
    assert.deepStrictEqual((yield* claimOutcomes(fixture, 21)).map(({ callId }) => callId), [sealed.callId])
    assert.isTrue(yield* append(fixture, unsealed, 22, said("contact", "Goodbye")))
    assert.deepStrictEqual(yield* claimOutcomes(fixture, 24.999), [])
    assert.deepStrictEqual(yield* claimOutcomes(fixture, 25), [
      { callId: unsealed.callId, said: ["Yes, gladly", "Goodbye"], notes: [] }
    ])
    assert.isFalse(yield* append(fixture, unsealed, 25, said("contact", "Wait")))
    assert.isFalse(yield* seal(fixture, unsealed, 25))
    assert.deepStrictEqual(yield* claimOutcomes(fixture, 80), [])
    assert.lengthOf(yield* claimOutcomes(fixture, 85), 2)
  }),

  "makes every outcome of calls whose logs are sealed late, while it claims them": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 100 })
    const { accountId, storage } = fixture
    const writers = yield* Effect.replicateEffect(talking(fixture), 20)
    for (const writer of writers) {
      yield* append(fixture, writer, 6, yes)
      yield* Fixture.report(fixture, writer.callId, 20, hungUp(20))
    }
    const token = Factories.token()
    const claim = storage.outcomes.claim({ accountId, now: Factories.at(25), limit: 10, token })
    const seals = writers.map((writer) => Effect.as(seal(fixture, writer, 25), []))
    const work = seals.flatMap((seal, index) => index % 4 === 0 ? [claim, seal] : [seal])
    const meanwhile = yield* Effect.all(work, { concurrency: "unbounded" })
    // A claim leaves what a seal has locked.
    const claimed = [...meanwhile, yield* claim, yield* claim].flat()
    assert.sameMembers(claimed.map(({ call }) => call.id), writers.map(({ callId }) => callId))
    for (const { call } of claimed) assert.deepStrictEqual(call.transcript?.map(({ text }) => text), ["Yes, gladly"])
    const given = { accountId, token, now: Factories.at(26), events: EventBodies.eventWriter(Factories.at(26)) }
    const outcome = Factories.outcome
    const results = claimed.map(({ call }) => ({ callId: call.id, result: { _tag: "Stored", outcome } as const }))
    yield* storage.outcomes.settle({ ...given, results })
    for (const { callId } of writers) {
      assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, callId)))
      assert.strictEqual((yield* Fixture.get(fixture, callId)).outcomeState, "stored")
    }
    assert.isFalse(yield* Fixture.isDue(fixture, "outcome", 900))
  }),

  ...Object.fromEntries(
    ([
      ["acquiring the log", { status: "failed" }],
      ["the agent's first words", { status: "failed" }],
      ["the contact's words", { status: "completed", said: ["Hello", "Yes, gladly"] }],
      ["the end, without words", { status: "no_answer" }],
      ["the end, with words", { status: "completed", said: ["Hello", "Yes, gladly"] }],
      ["words that follow the end", { status: "completed", said: ["Goodbye"] }],
      ["the seal, without words", { status: "failed" }],
      ["the seal, with words", { status: "completed", said: ["Yes, gladly"] }]
    ] as const).map(([name, expected]) => [`ends the call of a process that dies after ${name}`, dead(name, expected)])
  ),

  "completes a call whose contact spoke, whatever the carrier says of it": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 10 })
    for (const result of ["hung_up", "no_answer", "busy", "failed"] as const) {
      const { callId } = yield* Fixture.submitted(fixture)
      const { generation } = Option.getOrThrow(yield* acquire(fixture, callId, 5))
      yield* append(fixture, { callId, generation }, 6, yes)
      // The answer was never reported.
      const { answeredAt: _, answeredBy: __, ...end } = hungUp(20, { result })
      yield* Fixture.report(fixture, callId, 20, end)
      assert.deepStrictEqual(yield* statusOf(fixture, callId), completed, result)
      assert.deepStrictEqual((yield* Fixture.get(fixture, callId)).answeredAt, Factories.at(6))
    }
  }),

  "does not complete a call that voicemail answered, by the carrier or the conversation, whatever was said": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make({ lines: 10 })
      const voicemail = { status: "no_answer", statusCode: "voicemail", endedAt: Factories.at(20) } as const
      const greeting = said("contact", "Please leave a message")
      const verdict = { _tag: "Machine", at: 3000, kind: "voicemail" } as const
      const [known, found, late, judged] = [
        yield* talking(fixture),
        yield* talking(fixture),
        yield* talking(fixture),
        yield* talking(fixture)
      ]
      yield* append(fixture, known, 6, greeting)
      yield* Fixture.report(fixture, known.callId, 20, hungUp(20, { answeredBy: "voicemail" }))
      yield* append(fixture, found, 6, greeting)
      yield* append(fixture, found, 8, verdict)
      yield* Fixture.report(fixture, found.callId, 20, hungUp(20))
      yield* Fixture.report(fixture, late.callId, 20, hungUp(20))
      yield* append(fixture, late, 21, greeting, verdict)
      // The words that the call waits for are a machine's.
      yield* Fixture.report(fixture, judged.callId, 20, hungUp(20))
      yield* Fixture.report(fixture, judged.callId, 20.5, { _tag: "Verdict", by: "voicemail" })
      yield* append(fixture, judged, 21, greeting)
      for (const writer of [known, found, late, judged]) {
        assert.isTrue(yield* seal(fixture, writer, 21))
        assert.deepStrictEqual(yield* statusOf(fixture, writer.callId), voicemail)
      }
    }
  ),

  "takes no verdict on a contact who was transferred, unless that failed": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 10 })
    const transfer = (failed?: true) =>
      ({ _tag: "Noted", at: 9000, note: { _tag: "Transfer", to: "Reception", ...(failed && { failed }) } }) as const
    const verdict = { _tag: "Verdict", by: "voicemail" } as const
    const [spoken, silentOne, failed] = [yield* talking(fixture), yield* talking(fixture), yield* talking(fixture)]
    yield* append(fixture, spoken, 6, hello, yes)
    yield* append(fixture, spoken, 9, transfer())
    yield* append(fixture, silentOne, 9, hello, transfer())
    yield* append(fixture, failed, 9, hello, yes, transfer())
    yield* append(fixture, failed, 10, transfer(true))
    const statuses = Effect.forEach([spoken, silentOne, failed], (writer) =>
      Effect.gen(function*() {
        yield* Fixture.report(fixture, writer.callId, 15, verdict)
        yield* Fixture.report(fixture, writer.callId, 20, hungUp(20, { answeredBy: "voicemail" }))
        yield* seal(fixture, writer, 20)
        return yield* statusOf(fixture, writer.callId)
      }))
    assert.deepStrictEqual(yield* statuses, [completed, silent, { ...silent, statusCode: "voicemail" }])
  }),

  "takes the words of the carrier when the log has none of the contact": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const writer = yield* talking(fixture)
    yield* append(fixture, writer, 6, hello)
    yield* Fixture.report(fixture, writer.callId, 20, Fixture.talked(5, 20))
    assert.deepStrictEqual(yield* statusOf(fixture, writer.callId), completed)
    yield* seal(fixture, writer, 21)
    const { hasRecording, transcript } = yield* Fixture.get(fixture, writer.callId)
    assert.deepStrictEqual([hasRecording, transcript], [true, Factories.outcome.transcript])
  }),

  "ends a call without a conversation at once, when the carrier knows no words": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 20, hungUp(20))
    assert.deepStrictEqual(yield* statusOf(fixture, callId), silent)
  }),

  "makes a call due that waits for the number of one whose log is sealed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const phoneNumber = Factories.phoneNumber()
    const writer = yield* talking(fixture, { phoneNumber })
    const { id } = yield* Fixture.start(fixture, { phoneNumber, dueAt: Factories.at(600) })
    yield* Fixture.report(fixture, writer.callId, 20, hungUp(20))
    assert.deepStrictEqual((yield* Fixture.get(fixture, id)).dueAt, Factories.at(600))
    yield* seal(fixture, writer, 21)
    assert.deepStrictEqual((yield* Fixture.get(fixture, id)).dueAt, Factories.at(21))
  }),

  "keeps a call that is to be erased while it waits for its words": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const phoneNumber = Factories.phoneNumber()
    const { callId } = yield* talking(fixture, { phoneNumber })
    yield* Fixture.report(fixture, callId, 20, hungUp(20))
    const alias = Factories.aliasOf(phoneNumber)
    const callee = { accountId, phoneNumber, alias, eraser: Erasure.erasedBody }
    const begun = yield* storage.privacy.beginErasure({
      ...callee,
      now: Factories.at(21),
      events: Fixture.eventsAt(21)
    })
    assert.deepStrictEqual(begun, { _tag: "Busy", callId })
  }),

  "deletes the transcripts and notes of old calls, completed or not, and nothing else of them": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ policy: { ...Factories.openPolicy, retention: { transcriptDays: 40 } } })
    const { accountId, storage } = fixture
    const callIds = yield* answered(fixture)
    const live = yield* talking(fixture)
    yield* append(fixture, live, 6, yes)
    const old = storage.privacy.oldTranscripts({ accountId, before: Factories.at(90_000), limit: 10 })
    assert.deepStrictEqual(yield* old, callIds)
    assert.deepStrictEqual(
      yield* storage.privacy.oldTranscripts({ accountId, before: Factories.at(90_000), limit: 2 }),
      callIds.slice(0, 2)
    )
    assert.deepStrictEqual(
      [yield* Fixture.isDue(fixture, "sweep", 39 * 86_400), yield* Fixture.isDue(fixture, "sweep", 40 * 86_400)],
      [false, true]
    )
    const before = yield* Effect.forEach(callIds, (callId) => Fixture.get(fixture, callId))
    for (const call of before) assert.lengthOf([...call.transcript ?? [], ...call.notes ?? []], 2)
    assert.strictEqual(
      yield* storage.privacy.deleteTranscripts({ accountId, callIds: [...callIds, live.callId] }),
      callIds.length
    )
    const after = yield* Effect.forEach(callIds, (callId) => Fixture.get(fixture, callId))
    assert.deepStrictEqual(after, before.map(({ notes: _, transcript: __, ...call }) => call))
    assert.deepStrictEqual(yield* old, [])
    assert.isFalse(yield* Fixture.isDue(fixture, "sweep", 40 * 86_400))
    assert.deepStrictEqual((yield* read(fixture, live.callId)).entries, [{ sequence: 1, entry: yes }])
  }),

  "erases the transcripts and notes of a callee, whoever answered": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    for (const callId of yield* answered(fixture)) {
      const { phoneNumber } = yield* Fixture.get(fixture, callId)
      const callee = { accountId, phoneNumber, alias: Factories.aliasOf(phoneNumber), eraser: Erasure.erasedBody }
      yield* storage.privacy.eraseCalls({ ...callee, callIds: [callId] })
      assert.deepStrictEqual(yield* read(fixture, callId), { entries: [], isSealed: true })
      const old = { accountId, before: Factories.at(90_000), limit: 10 }
      assert.notInclude(yield* storage.privacy.oldTranscripts(old), callId)
    }
  }),

  "deletes old calls with all that is left of their conversations": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const callIds = yield* answered(fixture)
    const before = DateTime.addDuration(Factories.start, "2 days")
    assert.strictEqual(yield* storage.privacy.deleteCalls({ accountId, before, callIds, limit: 10 }), callIds.length)
    for (const callId of callIds) {
      assert.isTrue(Option.isNone(yield* storage.calls.get(accountId, callId)))
      assert.deepStrictEqual(yield* read(fixture, callId), { entries: [], isSealed: false })
    }
    assert.deepStrictEqual(yield* storage.privacy.oldTranscripts({ accountId, before, limit: 10 }), [])
  }),

  "shows the words of a call that was lost": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [, , lost = Factories.callId()] = yield* answered(fixture)
    assert.deepStrictEqual(words(yield* Fixture.get(fixture, lost)), {
      notes: [{ _tag: "OptOut" }],
      transcript: [{ speaker: "agent", text: "Hello", startMs: 1000, endMs: 1500 }]
    })
  })
}
