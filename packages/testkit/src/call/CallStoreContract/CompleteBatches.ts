/** Completed batches, which are reported once. */
import { assert } from "@effect/vitest"
import { type Call, type Event, EventBodies, Ids } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../../webhook/DeliverySteps.ts"
import * as Fixture from "../../storage/Fixture.ts"

const put = (
  { accountId, storage }: Fixture.Fixture,
  name: string,
  events: ReadonlyArray<Event.SubscribableKind> = ["call.completed", "call.not_connected"],
  seconds = 0
) => storage.subscriptions.put({ accountId, name, events, now: Factories.at(seconds) })

const claim = ({ accountId, storage }: Fixture.Fixture, name: string, seconds: number, token = Factories.token()) =>
  storage.subscriptions.claim({ accountId, name, now: Factories.at(seconds), token })

/** A batch of calls that no rule holds. */
const startBatch = Effect.fnUntraced(function*(
  { accountId, agentId, storage }: Fixture.Fixture,
  count: number,
  overrides: Partial<Call.CallRecord> = {}
) {
  const id = Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))
  const result = yield* storage.calls.startBatch({
    accountId,
    now: Factories.start,
    idempotency: Option.none(),
    agentIds: [agentId],
    phoneNumbers: [],
    rules: Factories.rules,
    plan: ({ account, agents }) => {
      const agent = Option.fromUndefinedOr(agents.get(agentId))
      return {
        batch: { id, accountId, agentId, test: false, acceptedCount: count, rejected: [], createdAt: Factories.start },
        calls: Array.from(
          { length: count },
          (_, batchIndex) => Factories.queuedCall({ account, agent }, { ...overrides, batchId: id, batchIndex })
        )
      }
    },
    events: EventBodies.eventWriter(Factories.start)
  })
  if (result._tag !== "Started") throw new Error(`The batch was not started: ${result._tag}`)
  return { id, calls: result.stored.calls }
})

const cancel = ({ accountId, storage }: Fixture.Fixture, id: Ids.CallId, seconds: number) =>
  storage.calls.cancel({
    accountId,
    id,
    now: Factories.at(seconds),
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

const complete = ({ accountId, storage }: Fixture.Fixture, seconds: number, limit = 1000) =>
  storage.calls.completeBatches({
    accountId,
    now: Factories.at(seconds),
    limit,
    event: ({ batch, calls }) => EventBodies.batchCompleted(batch, calls, Factories.at(seconds))
  })

const completions = ({ accountId, storage }: Fixture.Fixture) =>
  Effect.map(
    storage.events.list({ accountId, filter: { type: "batch.completed" }, page: { limit: 100, after: Option.none() } }),
    ({ items }) => items
  )

export const cases: Cases = {
  "reports a completed batch once, after the event of its last call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture, { events: ["batch.completed"] })
    const { calls, id } = yield* startBatch(fixture, 3)
    const [first, ...others] = calls
    if (first !== undefined) yield* cancel(fixture, first.id, 1)
    assert.isTrue(yield* Fixture.isDue(fixture, "batch", 1))
    yield* complete(fixture, 1)
    assert.deepStrictEqual(yield* completions(fixture), [])
    yield* Effect.forEach(others, (call) => cancel(fixture, call.id, 2), { concurrency: "unbounded" })
    yield* Effect.forEach([3, 3, 3], (seconds) => complete(fixture, seconds), { concurrency: "unbounded" })
    const [completed, ...more] = yield* completions(fixture)
    assert.deepStrictEqual(more, [])
    assert.deepInclude(completed, { id: Ids.completionEventId(id), batchId: id, type: "batch.completed" })
    const { data, ...envelope } = JSON.parse(completed?.body ?? "{}")
    assert.deepInclude(envelope, { object: "event", type: "batch.completed", test: false })
    assert.deepInclude(data, { id, object: "batch", status: "completed", accepted_count: 3 })
    assert.isFalse(yield* Fixture.isDue(fixture, "batch", 100))
    const [delivery] = yield* Steps.claim(fixture, 3)
    assert.strictEqual(delivery?.body, completed?.body)
    assert.deepInclude(yield* Steps.deliveryOf(fixture, Ids.completionEventId(id)), { batchId: id, state: "sending" })
  }),

  "examines at most the requested number of batches, each once however many of its calls have ended": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      yield* put(fixture, "crm", ["batch.completed"])
      const [first, second] = [yield* startBatch(fixture, 3), yield* startBatch(fixture, 1)]
      yield* Effect.forEach(first.calls, ({ id }, index) => cancel(fixture, id, 1 + index))
      yield* Effect.forEach(second.calls, ({ id }) => cancel(fixture, id, 9))
      assert.strictEqual(yield* complete(fixture, 10, 1), 1)
      assert.deepStrictEqual((yield* completions(fixture)).map(({ batchId }) => batchId), [first.id])
      assert.strictEqual(yield* complete(fixture, 10, 2), 1)
      assert.strictEqual((yield* completions(fixture)).length, 2)
      assert.strictEqual(yield* complete(fixture, 10), 0)
    }
  ),

  "waits for the outcome of a batch's calls": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    yield* put(fixture, "crm", ["batch.completed"])
    const { calls: [call] } = yield* startBatch(fixture, 1)
    const callId = call?.id ?? Factories.callId()
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    yield* storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.start })
    yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
    yield* complete(fixture, 20)
    assert.deepStrictEqual(yield* completions(fixture), [])
    const outcomes = Factories.token()
    yield* storage.outcomes.claim({ accountId, now: Factories.at(20), limit: 10, token: outcomes })
    const results = [{ callId, result: { _tag: "GivenUp" as const } }]
    yield* storage.outcomes.settle({
      accountId,
      token: outcomes,
      now: Factories.at(21),
      results,
      events: EventBodies.eventWriter(Factories.at(21))
    })
    yield* complete(fixture, 21)
    assert.strictEqual((yield* completions(fixture)).length, 1)
    assert.strictEqual((yield* claim(fixture, "crm", 21)).length, 1)
  }),

  "reports a batch without calls, and no batch without a subscriber": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* startBatch(fixture, 0)
    const { calls: [call] } = yield* startBatch(fixture, 1)
    if (call !== undefined) yield* cancel(fixture, call.id, 1)
    assert.isFalse(yield* Fixture.isDue(fixture, "batch", 1))
    yield* Fixture.setWebhook(fixture, { events: ["batch.completed"] })
    const { id } = yield* startBatch(fixture, 0)
    yield* complete(fixture, 1)
    assert.deepStrictEqual((yield* completions(fixture)).map(({ batchId }) => batchId), [id])
  })
}
