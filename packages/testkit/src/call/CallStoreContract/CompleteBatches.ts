/** Completed batches, which are reported once. */
import { assert } from "@effect/vitest"
import { type Call, type Event, EventBodies, Ids } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Steps from "../../webhook/DeliverySteps.ts"
import * as Setting from "../../storage/Fixture.ts"

const put = (
  { accountId, storage }: Setting.Setting,
  name: string,
  events: ReadonlyArray<Event.SubscribableKind> = ["call.completed", "call.not_connected"],
  seconds = 0
) => storage.subscriptions.put({ accountId, name, events, now: Factories.at(seconds) })

const claim = ({ accountId, storage }: Setting.Setting, name: string, seconds: number, token = Factories.token()) =>
  storage.subscriptions.claim({ accountId, name, now: Factories.at(seconds), token })

/** A batch of calls that are held by no rule. */
const startBatch = Effect.fnUntraced(function*(
  { accountId, agentId, storage }: Setting.Setting,
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

const cancel = ({ accountId, storage }: Setting.Setting, id: Ids.CallId, seconds: number) =>
  storage.calls.cancel({
    accountId,
    id,
    now: Factories.at(seconds),
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

const complete = ({ accountId, storage }: Setting.Setting, seconds: number, limit = 1000) =>
  storage.calls.completeBatches({
    accountId,
    now: Factories.at(seconds),
    limit,
    event: ({ batch, calls }) => EventBodies.batchCompleted(batch, calls, Factories.at(seconds))
  })

const completions = ({ accountId, storage }: Setting.Setting) =>
  Effect.map(
    storage.events.list({ accountId, filter: { type: "batch.completed" }, page: { limit: 100, after: Option.none() } }),
    ({ items }) => items
  )

export const cases: Cases = {
  "tells once that a batch is completed, when the end of its last call has been told": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* Setting.setWebhook(setting, { events: ["batch.completed"] })
    const { calls, id } = yield* startBatch(setting, 3)
    const [first, ...others] = calls
    if (first !== undefined) yield* cancel(setting, first.id, 1)
    assert.isTrue(yield* Setting.isDue(setting, "batch", 1))
    yield* complete(setting, 1)
    assert.deepStrictEqual(yield* completions(setting), [])
    yield* Effect.forEach(others, (call) => cancel(setting, call.id, 2), { concurrency: "unbounded" })
    yield* Effect.forEach([3, 3, 3], (seconds) => complete(setting, seconds), { concurrency: "unbounded" })
    const [completed, ...more] = yield* completions(setting)
    assert.deepStrictEqual(more, [])
    assert.deepInclude(completed, { id: Ids.completionEventId(id), batchId: id, type: "batch.completed" })
    const { data, ...envelope } = JSON.parse(completed?.body ?? "{}")
    assert.deepInclude(envelope, { object: "event", type: "batch.completed", test: false })
    assert.deepInclude(data, { id, object: "batch", status: "completed", accepted_count: 3 })
    assert.isFalse(yield* Setting.isDue(setting, "batch", 100))
    const [delivery] = yield* Steps.claim(setting, 3)
    assert.strictEqual(delivery?.body, completed?.body)
    assert.deepInclude(yield* Steps.deliveryOf(setting, Ids.completionEventId(id)), { batchId: id, state: "sending" })
  }),

  "looks at as many batches as it is asked to, each once however many of its calls have ended": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* put(setting, "crm", ["batch.completed"])
    const [first, second] = [yield* startBatch(setting, 3), yield* startBatch(setting, 1)]
    yield* Effect.forEach(first.calls, ({ id }, index) => cancel(setting, id, 1 + index))
    yield* Effect.forEach(second.calls, ({ id }) => cancel(setting, id, 9))
    assert.strictEqual(yield* complete(setting, 10, 1), 1)
    assert.deepStrictEqual((yield* completions(setting)).map(({ batchId }) => batchId), [first.id])
    assert.strictEqual(yield* complete(setting, 10, 2), 1)
    assert.strictEqual((yield* completions(setting)).length, 2)
    assert.strictEqual(yield* complete(setting, 10), 0)
  }),

  "waits for the outcome of a batch's calls": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { accountId, storage } = setting
    yield* put(setting, "crm", ["batch.completed"])
    const { calls: [call] } = yield* startBatch(setting, 1)
    const callId = call?.id ?? Factories.callId()
    const token = Factories.token()
    yield* Setting.claim(setting, { token })
    yield* storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.start })
    yield* Setting.report(setting, callId, 20, Setting.talked(5, 20))
    yield* complete(setting, 20)
    assert.deepStrictEqual(yield* completions(setting), [])
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
    yield* complete(setting, 21)
    assert.strictEqual((yield* completions(setting)).length, 1)
    assert.strictEqual((yield* claim(setting, "crm", 21)).length, 1)
  }),

  "tells of a batch without calls, and of none that nobody wants to know of": Effect.gen(function*() {
    const setting = yield* Setting.make()
    yield* startBatch(setting, 0)
    const { calls: [call] } = yield* startBatch(setting, 1)
    if (call !== undefined) yield* cancel(setting, call.id, 1)
    assert.isFalse(yield* Setting.isDue(setting, "batch", 1))
    yield* Setting.setWebhook(setting, { events: ["batch.completed"] })
    const { id } = yield* startBatch(setting, 0)
    yield* complete(setting, 1)
    assert.deepStrictEqual((yield* completions(setting)).map(({ batchId }) => batchId), [id])
  })
}
