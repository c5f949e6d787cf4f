/** Starting calls: idempotency, one queued call per number, and refusals without traces. */
import { assert } from "@effect/vitest"
import { Errors, EventBodies, Storage } from "@outdial/core"
import { Effect, Option, Result } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const key = (name: string, fingerprint = "f") => Option.some({ key: name, fingerprint })

const refusing = (fixture: Fixture.Fixture, idempotency: Option.Option<Storage.Idempotency>) =>
  fixture.storage.calls.start({
    accountId: fixture.accountId,
    agentId: fixture.agentId,
    phoneNumber: Factories.phoneNumber(),
    now: Factories.start,
    rules: Factories.rules,
    idempotency,
    plan: () => Result.fail("because"),
    events: EventBodies.eventWriter(Factories.start)
  })

export const cases: Cases = {
  "keeps every field of a call as the plan made it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), call)
  }),

  "hides a call from other accounts": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const other = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    assert.deepStrictEqual(yield* fixture.storage.calls.get(other.accountId, call.id), Option.none())
  }),

  "passes the plan that the agent does not exist": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const seen = yield* storage.calls.start({
      accountId,
      agentId: Factories.agentId(),
      phoneNumber: Factories.phoneNumber(),
      now: Factories.start,
      rules: Factories.rules,
      idempotency: Option.none(),
      plan: ({ agent }) => Result.fail(agent._tag),
      events: EventBodies.eventWriter(Factories.start)
    })
    assert.deepStrictEqual(seen, { _tag: "Refused", reason: "None" })
  }),

  "passes the plan the queued call to the number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const first = yield* Fixture.start(fixture)
    const second = yield* Fixture.startResult(fixture, { phoneNumber: first.phoneNumber })
    assert.deepStrictEqual(second, {
      _tag: "Refused",
      reason: new Errors.CallAlreadyQueued({ callId: first.id })
    })
  }),

  "lets two accounts call the same number": Effect.gen(function*() {
    const first = yield* Fixture.start(yield* Fixture.make())
    const other = yield* Fixture.startResult(yield* Fixture.make(), { phoneNumber: first.phoneNumber })
    assert.strictEqual(other._tag, "Started")
  }),

  "accepts a call to a number that is being dialed": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const first = yield* Fixture.start(fixture)
    yield* Fixture.claim(fixture)
    const second = yield* Fixture.startResult(fixture, { phoneNumber: first.phoneNumber })
    assert.strictEqual(second._tag, "Started")
  }),

  "replays a key with the current state of its call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const first = yield* Fixture.startResult(fixture, {}, key("k"))
    assert.strictEqual(first._tag, "Started")
    yield* Fixture.claim(fixture)
    const again = yield* Fixture.startResult(fixture, {}, key("k"))
    assert.strictEqual(again._tag, "Replayed")
    if (first._tag !== "Started" || again._tag !== "Replayed") return
    assert.deepStrictEqual(again.call, yield* Fixture.get(fixture, first.call.id))
    assert.strictEqual(again.call.status, "dialing")
  }),

  "looks up the key before anything else, so that a retry is not refused for its own call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const phoneNumber = Factories.phoneNumber()
    yield* Fixture.startResult(fixture, { phoneNumber }, key("k"))
    const again = yield* Fixture.startResult(fixture, { phoneNumber }, key("k"))
    assert.strictEqual(again._tag, "Replayed")
    assert.strictEqual((yield* refusing(fixture, key("k")))._tag, "Replayed")
  }),

  "refuses a key that comes with another request": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const first = yield* Fixture.startResult(fixture, {}, key("k", "one"))
    const other = yield* Fixture.startResult(fixture, {}, key("k", "two"))
    assert.strictEqual(first._tag, "Started")
    assert.deepStrictEqual(other, {
      _tag: "KeyReused",
      callId: first._tag === "Started" ? first.call.id : Factories.callId()
    })
  }),

  "keeps keys apart by account": Effect.gen(function*() {
    yield* Fixture.startResult(yield* Fixture.make(), {}, key("k"))
    assert.strictEqual((yield* Fixture.startResult(yield* Fixture.make(), {}, key("k")))._tag, "Started")
  }),

  "stores nothing of a refused request: the same key may succeed later": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    assert.deepStrictEqual(yield* refusing(fixture, key("k")), { _tag: "Refused", reason: "because" })
    assert.strictEqual((yield* Fixture.startResult(fixture, {}, key("k")))._tag, "Started")
  }),

  "keeps no key of a request for a number that waits": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { phoneNumber } = yield* Fixture.start(fixture)
    assert.strictEqual((yield* Fixture.startResult(fixture, { phoneNumber }, key("k")))._tag, "Refused")
    assert.strictEqual((yield* Fixture.startResult(fixture, {}, key("k")))._tag, "Started")
  }),

  "lets one of 20 identical concurrent requests start the call, and replays it to the others": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const twin = Fixture.startResult(fixture, {}, key("twins"))
    const results = yield* Effect.all(Array.from({ length: 20 }, () => twin), { concurrency: "unbounded" })
    const ids = results.map((result) => "call" in result ? result.call.id : result._tag)
    assert.strictEqual(new Set(ids).size, 1)
    assert.strictEqual(results.filter(({ _tag }) => _tag === "Started").length, 1)
    assert.strictEqual(results.filter(({ _tag }) => _tag === "Replayed").length, 19)
  }),

  "accepts one of 20 concurrent requests for a number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const phoneNumber = Factories.phoneNumber()
    const results = yield* Effect.all(
      Array.from({ length: 20 }, () => Fixture.startResult(fixture, { phoneNumber })),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(results.filter(({ _tag }) => _tag === "Started").length, 1)
    assert.strictEqual(results.filter(({ _tag }) => _tag === "Refused").length, 19)
  }),

  "ends a test call at once, with its event, beside a waiting call to the same number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const { phoneNumber } = yield* Fixture.start(fixture)
    const call = yield* Fixture.start(fixture, {
      phoneNumber,
      test: true,
      status: "completed",
      endedAt: Factories.start,
      outcome: Factories.outcome,
      outcomeState: "stored"
    })
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), call)
    const event = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, call.id))
    assert.strictEqual(event.type, "call.completed")
    assert.deepStrictEqual(event.delivery, Option.some({ state: "pending" as const, attempts: 0 }))
    assert.strictEqual(JSON.parse(event.body).data.outcome.transcript[1].text, "Hi — ja, gern")
  })
}
