/** Erasing what is stored of one callee. */
import { assert } from "@effect/vitest"
import { Erasure, EventBodies, type Ids, PhoneNumber, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import { phoneNumbers, rejectedRow, startBatch, started } from "../../call/BatchSteps.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

type Number = PhoneNumber.PhoneNumber

const { aliasOf, aliasesOf } = Factories

/** A fixture whose account has an erasure key. */
const fixture = Effect.fnUntraced(function*(options: Parameters<typeof Fixture.make>[0] = {}) {
  const made = yield* Fixture.make(options)
  yield* made.storage.secrets.keepErasureKey({ accountId: made.accountId, key: Factories.sealed("a key") })
  return made
})

const callee = ({ accountId }: Fixture.Fixture, phoneNumber: Number) => ({
  accountId,
  phoneNumber,
  alias: aliasOf(phoneNumber),
  eraser: Erasure.erasedBody
})

const begin = (one: Fixture.Fixture, number: Number, seconds = 60) =>
  one.storage.privacy.beginErasure({
    ...callee(one, number),
    now: Factories.at(seconds),
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

/** The complete erasure, as the engine does it. */
const erase = Effect.fnUntraced(function*(one: Fixture.Fixture, phoneNumber: Number, seconds = 60) {
  const { accountId, storage } = one
  const begun = yield* begin(one, phoneNumber, seconds)
  if (begun._tag === "Busy") throw new Error(`${begun.callId} is in the way`)
  const callIds = yield* storage.privacy.callsToErase({
    accountId,
    phoneNumber,
    until: Factories.at(seconds),
    limit: 100
  })
  return { begun, callIds, ...(yield* storage.privacy.eraseCalls({ ...callee(one, phoneNumber), callIds })) }
})

/** Starts a call to the number as the engine does for such an account. */
const startTo = (one: Fixture.Fixture, phoneNumber: Number, createdAt = Factories.at(120)) =>
  Fixture.startResult(one, { phoneNumber, createdAt })

const factsOf = ({ accountId, storage }: Fixture.Fixture, number: Number, names?: Storage.AliasesOf) =>
  Effect.map(
    storage.calls.dialFacts({
      accountId,
      phoneNumbers: [number],
      now: Factories.at(130),
      rules: Factories.rules,
      ...(names !== undefined && { aliasesOf: names })
    }),
    ({ numbers }) => numbers.get(number)
  )

const bodyOf = ({ accountId, storage }: Fixture.Fixture, id: Ids.EventId) =>
  Effect.map(storage.events.get(accountId, id), (event) => JSON.parse(Option.getOrThrow(event).body))

const policy = { ...Factories.openPolicy, numberLimits: [{ max: 1, windowSeconds: 86_400 }] }

export const cases: Cases = {
  "never shows an erased call, and keeps nothing of its callee in its event": Effect.gen(function*() {
    const one = yield* fixture()
    const { accountId, storage } = one
    const phoneNumber = Factories.phoneNumber()
    const callId = yield* Fixture.complete(one, { phoneNumber })
    const { id } = Option.getOrThrow(yield* Fixture.terminalEvent(one, callId))
    const { begun, callIds, calls, events } = yield* erase(one, phoneNumber)
    assert.deepStrictEqual(begun, { _tag: "Begun", canceled: 0, doNotCall: false })
    assert.deepStrictEqual([callIds, calls, events], [[callId], 1, 1])
    assert.isTrue(Option.isNone(yield* storage.calls.get(accountId, callId)))
    const page = { limit: 10, after: Option.none() }
    assert.deepStrictEqual((yield* storage.calls.list({ accountId, filter: {}, page })).items, [])
    assert.deepStrictEqual((yield* storage.events.list({ accountId, filter: {}, page })).items, [])
    assert.deepStrictEqual((yield* storage.events.readFeed({ accountId, after: 0, limit: 10 })).items, [])
    assert.isTrue(Option.getOrThrow(yield* storage.events.get(accountId, id)).isErased)
    const { data, ...envelope } = yield* bodyOf(one, id)
    assert.deepStrictEqual([envelope.id, envelope.type, data.id, data.erased], [id, "call.completed", callId, true])
    for (const name of ["phone_number", "contact", "variables", "metadata", "outcome", "recording_url"]) {
      assert.notProperty(data, name)
    }
    assert.deepStrictEqual(yield* Fixture.report(one, callId, 90, { _tag: "Recorded" }), ["discard"])
    assert.deepStrictEqual(yield* storage.privacy.unwantedRecordings({ accountId, limit: 10 }), [callId])
  }),

  "keeps nothing of what the carrier said of the callee": Effect.gen(function*() {
    const one = yield* fixture()
    const phoneNumber = Factories.phoneNumber()
    const { callId } = yield* Fixture.submitted(one, { phoneNumber })
    yield* Fixture.report(one, callId, 9, {
      _tag: "Ended",
      at: Factories.at(9),
      result: "failed",
      code: "carrier_refused",
      carrierReason: { code: "21216", message: "Grace has blocked calls" },
      recorded: false
    })
    const { id } = Option.getOrThrow(yield* Fixture.terminalEvent(one, callId))
    yield* erase(one, phoneNumber)
    const { data } = yield* bodyOf(one, id)
    assert.notProperty(data, "carrier_reason")
    assert.deepStrictEqual(
      [data.status_reason, data.status_code],
      ["The carrier refused the call.", "carrier_refused"]
    )
  }),

  "cancels the queued call, and delivers its event without data of the callee": Effect.gen(function*() {
    const one = yield* fixture()
    const { accountId, storage } = one
    yield* Fixture.setWebhook(one)
    const phoneNumber = Factories.phoneNumber()
    const call = yield* Fixture.start(one, { phoneNumber })
    assert.deepStrictEqual(yield* begin(one, phoneNumber), { _tag: "Begun", canceled: 1, doNotCall: false })
    const [delivery] = yield* storage.deliveries.claim({
      accountId,
      now: Factories.at(61),
      limit: 10,
      token: Factories.token()
    })
    const { data, ...envelope } = JSON.parse(delivery?.body ?? "{}")
    assert.deepStrictEqual(envelope.type, "call.not_connected")
    assert.deepStrictEqual([data.id, data.status, data.erased], [call.id, "canceled", true])
    assert.notInclude(delivery?.body ?? phoneNumber, phoneNumber)
    assert.notInclude(delivery?.body ?? "Grace", "Grace")
    assert.strictEqual((yield* erase(one, phoneNumber)).calls, 1)
  }),

  "refuses while a call is live or its outcome is pending, and changes nothing": Effect.gen(function*() {
    const one = yield* fixture()
    const phoneNumber = Factories.phoneNumber()
    const { callId } = yield* Fixture.submitted(one, { phoneNumber })
    assert.deepStrictEqual(yield* begin(one, phoneNumber), { _tag: "Busy", callId })
    yield* Fixture.report(one, callId, 20, Fixture.talked(5, 20))
    const before = yield* Fixture.get(one, callId)
    assert.deepStrictEqual(yield* begin(one, phoneNumber), { _tag: "Busy", callId })
    assert.deepStrictEqual(yield* Fixture.get(one, callId), before)
  }),

  "leaves the calls of other callees alone, and those accepted later": Effect.gen(function*() {
    const one = yield* fixture()
    const { accountId, storage } = one
    const [phoneNumber, other] = [Factories.phoneNumber(), Factories.phoneNumber()]
    const theirs = yield* Fixture.complete(one, { phoneNumber: other })
    yield* Fixture.complete(one, { phoneNumber })
    yield* erase(one, phoneNumber)
    const recreated = yield* startTo(one, phoneNumber)
    const options = {
      ...callee(one, phoneNumber),
      callIds: [theirs, ...(recreated._tag === "Started" ? [recreated.call.id] : [])]
    }
    assert.deepStrictEqual(yield* storage.privacy.eraseCalls(options), { calls: 0, events: 0 })
    assert.deepStrictEqual(
      yield* storage.privacy.callsToErase({ accountId, phoneNumber, until: Factories.at(60), limit: 10 }),
      []
    )
    assert.strictEqual((yield* Fixture.get(one, theirs)).contact.name, "Grace")
  }),

  "still counts the dials of an erased number, at previews and at claims": Effect.gen(function*() {
    const one = yield* fixture({ policy })
    const phoneNumber = Factories.phoneNumber()
    yield* Fixture.complete(one, { phoneNumber })
    const before = yield* factsOf(one, phoneNumber)
    assert.strictEqual(before?.dials.length, 1)
    yield* erase(one, phoneNumber)
    assert.deepStrictEqual(yield* factsOf(one, phoneNumber, aliasesOf), before)
    const recreated = yield* startTo(one, phoneNumber)
    assert.strictEqual(recreated._tag === "Started" ? recreated.facts.number.dials.length : undefined, 1)
    assert.deepStrictEqual((yield* factsOf(one, phoneNumber))?.dials, before?.dials)
    assert.deepStrictEqual((yield* Fixture.claim(one, { at: 130 })).claimed, [])
    assert.strictEqual((yield* Fixture.claim(one, { at: 90_000 })).claimed.length, 1)
  }),

  "keeps an erased number on the do-not-call list, which does not show it": Effect.gen(function*() {
    const one = yield* fixture()
    const { accountId, storage } = one
    const phoneNumber = Factories.phoneNumber()
    const entry = { phoneNumber, source: "api", createdAt: Factories.start } as const
    yield* storage.doNotCall.add({
      accountId,
      entries: [entry],
      now: Factories.start,
      events: EventBodies.eventWriter(Factories.start)
    })
    assert.deepStrictEqual((yield* erase(one, phoneNumber)).begun, { _tag: "Begun", canceled: 0, doNotCall: true })
    assert.isTrue(Option.isNone(yield* storage.doNotCall.get(accountId, phoneNumber)))
    const page = { limit: 10, after: Option.none() }
    assert.deepStrictEqual((yield* storage.doNotCall.list({ accountId, page })).items, [])
    assert.isTrue((yield* factsOf(one, phoneNumber, aliasesOf))?.doNotCall)
    assert.deepStrictEqual((yield* erase(one, phoneNumber, 70)).begun, { _tag: "Begun", canceled: 0, doNotCall: true })
    assert.isTrue(yield* storage.doNotCall.remove(accountId, aliasOf(phoneNumber)))
    assert.isFalse((yield* factsOf(one, phoneNumber, aliasesOf))?.doNotCall)
  }),

  "erases a number again that was called again, with all that remained of it": Effect.gen(function*() {
    const one = yield* fixture({ policy: { ...policy, numberLimits: [{ max: 9, windowSeconds: 86_400 }] } })
    const phoneNumber = Factories.phoneNumber()
    yield* Fixture.complete(one, { phoneNumber })
    yield* erase(one, phoneNumber)
    const recreated = yield* startTo(one, phoneNumber)
    assert.strictEqual(recreated._tag, "Started")
    assert.deepStrictEqual((yield* erase(one, phoneNumber, 140)).begun, {
      _tag: "Begun",
      canceled: 1,
      doNotCall: false
    })
    assert.strictEqual((yield* factsOf(one, phoneNumber))?.dials.length, 0)
    assert.strictEqual((yield* factsOf(one, phoneNumber, aliasesOf))?.dials.length, 1)
  }),

  "erases the fingerprint of the request, whose key still makes no second call": Effect.gen(function*() {
    const one = yield* fixture()
    const phoneNumber = Factories.phoneNumber()
    const key = Option.some({ key: "k", fingerprint: "f" })
    const result = yield* Fixture.startResult(one, { phoneNumber }, key)
    if (result._tag !== "Started") throw new Error(`The call was not started: ${result._tag}`)
    yield* erase(one, phoneNumber)
    assert.deepStrictEqual(yield* Fixture.startResult(one, { phoneNumber }, key), {
      _tag: "KeyReused",
      callId: result.call.id
    })
  }),

  "erases rejected rows page by page, with the fingerprint of their batch; counts stay": Effect.gen(function*() {
    const one = yield* fixture()
    const { accountId, storage } = one
    const [phoneNumber, other] = [Factories.phoneNumber(), Factories.phoneNumber()]
    const theirs = { ...rejectedRow, index: 0, phoneNumber: other }
    const rejected = [theirs, { ...rejectedRow, phoneNumber }]
    const batch = started(yield* startBatch(one, { rejected, numbers: phoneNumbers(2), key: "b" }))
    yield* startBatch(one, { rejected: [theirs] })
    const eraseFrom = (after: Option.Option<Ids.BatchId>) =>
      storage.privacy.eraseRejectedRows({
        accountId,
        after,
        limit: 1,
        eraser: (row) => row.phoneNumber === phoneNumber ? Erasure.erasedRow(row) : row
      })
    const first = yield* eraseFrom(Option.none())
    assert.deepStrictEqual(first, { rows: 1, next: Option.some(batch.batch.id) })
    const second = yield* eraseFrom(first.next)
    assert.strictEqual(second.rows, 0)
    assert.deepStrictEqual(yield* eraseFrom(second.next), { rows: 0, next: Option.none() })
    const stored = Option.getOrThrow(yield* storage.calls.getBatch(accountId, batch.batch.id))
    assert.deepStrictEqual(stored.batch.rejected, [theirs, {
      index: 1,
      phoneNumber: "",
      code: "number_limit_reached",
      message: "What this row held has been erased"
    }])
    assert.strictEqual((yield* startBatch(one, { rejected, key: "b" }))._tag, "KeyReused")
    yield* erase(one, batch.calls[0]?.phoneNumber ?? phoneNumber)
    const after = Option.getOrThrow(yield* storage.calls.getBatch(accountId, batch.batch.id))
    assert.deepStrictEqual(after.calls.map(({ phoneNumber }) => PhoneNumber.isErased(phoneNumber)), [true, false])
  })
}
