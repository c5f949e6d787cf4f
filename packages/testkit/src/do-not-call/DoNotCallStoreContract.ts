/** The do-not-call list: which calls an addition stops, and when. */
import { assert } from "@effect/vitest"
import { type DoNotCall, EventBodies, Page, type PhoneNumber } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

const entry = (phoneNumber: PhoneNumber.PhoneNumber, at = 0): DoNotCall.DoNotCallEntry => ({
  phoneNumber,
  source: "api",
  createdAt: Factories.at(at)
})

const add = (
  { accountId, storage }: Fixture.Fixture,
  entries: ReadonlyArray<DoNotCall.DoNotCallEntry>,
  at = 0
) =>
  storage.doNotCall.add({
    accountId,
    entries,
    now: Factories.at(at),
    events: EventBodies.eventWriter(Factories.at(at))
  })

const isListed = (fixture: Fixture.Fixture, phoneNumber: PhoneNumber.PhoneNumber) =>
  Effect.map(
    fixture.storage.calls.dialFacts({
      accountId: fixture.accountId,
      phoneNumbers: [phoneNumber],
      now: Factories.start,
      rules: Factories.rules
    }),
    ({ numbers }) => numbers.get(phoneNumber)?.doNotCall
  )

export const cases: Cases = {
  "keeps an entry as it was first added, until it is removed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const phoneNumber = Factories.phoneNumber()
    const first = { ...entry(phoneNumber), source: "call" as const, callId: Factories.callId() }
    assert.deepStrictEqual(yield* add(fixture, [first]), { added: 1, canceled: 0 })
    assert.deepStrictEqual(yield* add(fixture, [entry(phoneNumber, 9)], 9), { added: 0, canceled: 0 })
    assert.deepStrictEqual(yield* storage.doNotCall.get(accountId, phoneNumber), Option.some(first))
    assert.isTrue(yield* isListed(fixture, phoneNumber))
    assert.isTrue(yield* storage.doNotCall.remove(accountId, phoneNumber))
    assert.isFalse(yield* storage.doNotCall.remove(accountId, phoneNumber))
    assert.deepStrictEqual(yield* storage.doNotCall.get(accountId, phoneNumber), Option.none())
    assert.isFalse(yield* isListed(fixture, phoneNumber))
  }),

  "adds a number once if it is given twice": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { phoneNumber } = yield* Fixture.start(fixture)
    assert.deepStrictEqual(yield* add(fixture, [entry(phoneNumber), entry(phoneNumber)]), { added: 1, canceled: 1 })
  }),

  "keeps the first of two entries for one number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const phoneNumber = Factories.phoneNumber()
    const first = { ...entry(phoneNumber), source: "call" as const, callId: Factories.callId() }
    assert.deepStrictEqual(yield* add(fixture, [first, entry(phoneNumber)]), { added: 1, canceled: 0 })
    assert.deepStrictEqual(yield* fixture.storage.doNotCall.get(fixture.accountId, phoneNumber), Option.some(first))
  }),

  "keeps the lists of accounts apart": Effect.gen(function*() {
    const [fixture, other] = [yield* Fixture.make(), yield* Fixture.make()]
    const { phoneNumber } = yield* Fixture.start(other)
    assert.deepStrictEqual(yield* add(fixture, [entry(phoneNumber)]), { added: 1, canceled: 0 })
    assert.isFalse(yield* isListed(other, phoneNumber))
    assert.strictEqual((yield* Fixture.claim(other)).claimed.length, 1)
  }),

  "cancels the call that waits for an added number, with its event": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const spared = yield* Fixture.start(fixture)
    assert.deepStrictEqual(yield* add(fixture, [entry(call.phoneNumber)], 5), { added: 1, canceled: 1 })
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), {
      ...call,
      status: "canceled",
      statusCode: "do_not_call",
      endedAt: Factories.at(5)
    })
    assert.strictEqual(Option.getOrThrow(yield* Fixture.terminalEvent(fixture, call.id)).type, "call.not_connected")
    assert.deepStrictEqual(yield* Fixture.get(fixture, spared.id), spared)
  }),

  "does not submit a call that was claimed before the addition, and cancels it when it is claimed again": Effect
    .gen(function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const call = yield* Fixture.start(fixture)
      const token = Factories.token()
      yield* Fixture.claim(fixture, { token })
      yield* add(fixture, [entry(call.phoneNumber)], 1)
      const work = { accountId, callIds: [call.id], token, now: Factories.at(2) }
      assert.strictEqual((yield* storage.dispatch.submit(work)).size, 0)
      const events = EventBodies.eventWriter(Factories.at(2))
      yield* storage.dispatch.returnToQueue({ ...work, reason: "not_submitted", events })
      assert.deepStrictEqual(yield* Fixture.claim(fixture, { at: 3 }), { claimed: [], moved: 1, isLocked: false })
      assert.strictEqual((yield* Fixture.get(fixture, call.id)).statusCode, "do_not_call")
    }),

  "adds the number of an outcome with an opt-out, and cancels the queued call to it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { callId } = yield* Fixture.submitted(fixture)
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    const next = yield* Fixture.start(fixture, { phoneNumber, createdAt: Factories.at(1) })
    yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
    const token = Factories.token()
    yield* storage.outcomes.claim({ accountId, now: Factories.at(20), limit: 10, token })
    yield* storage.outcomes.settle({
      accountId,
      token,
      now: Factories.at(21),
      results: [{ callId, result: { _tag: "Stored", outcome: { ...Factories.outcome, doNotCall: true } } }],
      events: EventBodies.eventWriter(Factories.at(21))
    })
    assert.deepStrictEqual(
      yield* storage.doNotCall.get(accountId, phoneNumber),
      Option.some({ phoneNumber, source: "call" as const, callId, createdAt: Factories.at(21) })
    )
    assert.strictEqual((yield* Fixture.get(fixture, next.id)).statusCode, "do_not_call")
  }),

  "lists the newest first, page by page": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const entries = [0, 1, 1, 2].map((at) => entry(Factories.phoneNumber(), at))
    yield* Effect.forEach(entries, (one) => add(fixture, [one]))
    const expected = entries.toSorted((a, b) => Page.compare({ ...a, id: a.phoneNumber }, { ...b, id: b.phoneNumber }))
    const first = yield* storage.doNotCall.list({ accountId, page: { limit: 3, after: Option.none() } })
    assert.deepStrictEqual(first, { items: expected.slice(0, 3), hasMore: true })
    const last = expected[2] ?? entry(Factories.phoneNumber())
    const after = Option.some({ createdAt: last.createdAt, id: last.phoneNumber })
    assert.deepStrictEqual(
      yield* storage.doNotCall.list({ accountId, page: { limit: 3, after } }),
      { items: expected.slice(3), hasMore: false }
    )
  })
}
