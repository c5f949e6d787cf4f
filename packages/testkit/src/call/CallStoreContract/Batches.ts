/** Batches, lists and cancellation. */
import { assert } from "@effect/vitest"
import { EventBodies, Ids, Page, type PhoneNumber, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import { batchId, phoneNumbers, rejectedRow as rejected, startBatch, started } from "../BatchSteps.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const cancel = ({ accountId, storage }: Fixture.Fixture, id: Ids.CallId, seconds = 1) =>
  storage.calls.cancel({
    accountId,
    id,
    now: Factories.at(seconds),
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

/** All items, page by page. */
const walk = <A extends Page.Position, E>(
  list: (page: Page.PageRequest) => Effect.Effect<Page.Page<A>, E>,
  limit: number
) =>
  Effect.gen(function*() {
    const pages: Array<ReadonlyArray<A>> = []
    let after = Option.none<Page.Position>()
    while (true) {
      const page = yield* list({ limit, after })
      pages.push(page.items)
      const last = page.items.at(-1)
      if (!page.hasMore || last === undefined) return pages
      after = Option.some(last)
    }
  })

export const cases: Cases = {
  "keeps a batch with its calls in the order of its rows, and its rejected rows": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const numbers = phoneNumbers(3).toReversed()
    const stored = started(yield* startBatch(fixture, { numbers }))
    assert.deepStrictEqual(stored.calls.map(({ batchIndex, phoneNumber }) => [batchIndex, phoneNumber]), [
      [0, numbers[0]],
      [1, numbers[1]],
      [2, numbers[2]]
    ])
    assert.deepStrictEqual(stored.batch.rejected, [rejected])
    const { accountId, storage } = fixture
    const read = Option.getOrThrow(yield* storage.calls.getBatch(accountId, stored.batch.id))
    assert.deepStrictEqual(read.batch, stored.batch)
    assert.deepStrictEqual(read.calls.map(({ id }) => id), stored.calls.map(({ id }) => id))
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* storage.calls.getBatch(other.accountId, stored.batch.id), Option.none())
  }),

  "keeps every field of a batch's call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { batch, calls } = started(yield* startBatch(fixture, { numbers: phoneNumbers(1) }))
    const [summary] = calls
    const call = yield* Fixture.get(fixture, summary?.id ?? Factories.callId())
    assert.strictEqual(call.batchId, batch.id)
    assert.strictEqual(call.batchIndex, 0)
    assert.deepStrictEqual(call.metadata, { order: { nested: ["ä", "\u2028", null, 1.5] } })
  }),

  "keeps a batch of which no row was accepted": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { batch } = started(yield* startBatch(fixture))
    const { accountId, storage } = fixture
    assert.deepStrictEqual(yield* storage.calls.getBatch(accountId, batch.id), Option.some({ batch, calls: [] }))
  }),

  "passes the plan the numbers that have queued calls": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [first, second] = [Factories.phoneNumber(), Factories.phoneNumber()]
    yield* Fixture.start(fixture, { phoneNumber: first })
    const { calls } = started(yield* startBatch(fixture, { numbers: [first, second] }))
    assert.deepStrictEqual(calls.map(({ phoneNumber }) => phoneNumber), [second])
  }),

  "replays a batch's key, refuses it for another request, and keeps it apart from the keys of calls": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const numbers = phoneNumbers(2)
      const first = started(yield* startBatch(fixture, { numbers, key: "k" }))
      const again = yield* startBatch(fixture, { numbers, key: "k" })
      assert.strictEqual(again._tag, "Replayed")
      assert.strictEqual(started(again).batch.id, first.batch.id)
      assert.deepStrictEqual(yield* startBatch(fixture, { numbers, key: "k", fingerprint: "other" }), {
        _tag: "KeyReused",
        batchId: first.batch.id
      })
      const call = yield* Fixture.startResult(fixture, {}, Option.some({ key: "k", fingerprint: "f" }))
      assert.strictEqual(call._tag, "Started")
    }
  ),

  "lets one of 8 identical concurrent requests start the batch": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const numbers = phoneNumbers(20)
    const results = yield* Effect.all(
      Array.from({ length: 8 }, () => startBatch(fixture, { numbers, key: "k" })),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(results.filter(({ _tag }) => _tag === "Started").length, 1)
    assert.strictEqual(new Set(results.map((result) => started(result).batch.id)).size, 1)
  }),

  "starts batches with common numbers in opposite order: each number once, and no deadlock": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const numbers = phoneNumbers(60)
    const results = yield* Effect.all(
      Array.from(
        { length: 6 },
        (_, n) => startBatch(fixture, { numbers: n % 2 === 0 ? numbers : numbers.toReversed() })
      ),
      { concurrency: "unbounded" }
    )
    const taken = results.flatMap((result) => started(result).calls.map(({ phoneNumber }) => phoneNumber))
    assert.strictEqual(taken.length, 60)
    assert.strictEqual(new Set(taken).size, 60)
  }),

  "starts 14 concurrent batches, every two with a common number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const batches: Array<Array<PhoneNumber.PhoneNumber>> = Array.from({ length: 14 }, () => [])
    for (const [index, batch] of batches.entries()) {
      for (const other of batches.slice(index + 1)) {
        const shared = Factories.phoneNumber()
        batch.push(shared)
        other.push(shared)
      }
    }
    const results = yield* Effect.all(
      batches.map((numbers, n) => startBatch(fixture, { numbers: n % 2 === 0 ? numbers : numbers.toReversed() })),
      { concurrency: "unbounded" }
    )
    const taken = results.flatMap((result) => started(result).calls.map(({ phoneNumber }) => phoneNumber))
    assert.strictEqual(taken.length, 91)
    assert.strictEqual(new Set(taken).size, 91)
  }),

  "ends the calls of a test batch at once, with their events": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const { calls } = started(
      yield* startBatch(fixture, {
        numbers: phoneNumbers(3),
        overrides: {
          test: true,
          status: "completed",
          endedAt: Factories.start,
          outcome: Factories.outcome,
          outcomeState: "stored"
        }
      })
    )
    for (const { id } of calls) {
      const event = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, id))
      assert.deepStrictEqual(event.delivery, Option.some({ state: "pending" as const, attempts: 0 }))
    }
  }),

  "cancels the queued calls of a batch, with their events, and nothing else": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 1 })
    const { batch, calls } = started(yield* startBatch(fixture, { numbers: phoneNumbers(3) }))
    yield* Fixture.claim(fixture)
    const { accountId, storage } = fixture
    const cancelAll = storage.calls.cancelBatch({
      accountId,
      id: batch.id,
      now: Factories.at(1),
      events: EventBodies.eventWriter(Factories.at(1))
    })
    assert.deepStrictEqual(yield* cancelAll, Option.some(2))
    assert.deepStrictEqual(yield* cancelAll, Option.some(0))
    const read = Option.getOrThrow(yield* storage.calls.getBatch(accountId, batch.id))
    assert.sameMembers(read.calls.map(({ status }) => status), ["dialing", "canceled", "canceled"])
    const canceled = read.calls.filter(({ status }) => status === "canceled")
    for (const { id } of canceled) assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, id)))
    assert.strictEqual(calls.length, 3)
    const none = yield* storage.calls.cancelBatch({
      accountId,
      id: batchId(),
      now: Factories.at(1),
      events: EventBodies.eventWriter(Factories.at(1))
    })
    assert.deepStrictEqual(none, Option.none())
  }),

  "cancels a queued call, with its event, and frees its number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const canceled = {
      ...call,
      status: "canceled" as const,
      statusCode: "canceled_by_client" as const,
      endedAt: Factories.at(1)
    }
    assert.deepStrictEqual(yield* cancel(fixture, call.id), { _tag: "Canceled", call: canceled })
    assert.deepStrictEqual(yield* Fixture.get(fixture, call.id), canceled)
    assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, call.id)))
    yield* Fixture.start(fixture, { phoneNumber: call.phoneNumber })
  }),

  "cancels only queued calls, and no call of another account": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const call = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(yield* cancel(fixture, callId), { _tag: "NotCancelable", call })
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* cancel(other, callId), { _tag: "NotFound" })
  }),

  "lets either a claim or a cancel have a call, never both": Effect.gen(function*() {
    const fixture = yield* Fixture.make({ lines: 100 })
    const calls = yield* Effect.forEach(Array.from({ length: 20 }), () => Fixture.start(fixture))
    const [claimed, ...canceled] = yield* Effect.all([
      Effect.map(Fixture.claim(fixture), (result) => result.claimed.map(({ call }) => call.id)),
      ...calls.map(({ id }) => Effect.map(cancel(fixture, id), ({ _tag }) => _tag === "Canceled" ? [id] : []))
    ], { concurrency: "unbounded" })
    const again = (yield* Fixture.claim(fixture)).claimed.map(({ call }) => call.id)
    assert.sameMembers([...claimed ?? [], ...again, ...canceled.flat()], calls.map(({ id }) => id))
  }),

  "lists calls newest first, and every one once, also those of one instant": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const calls = yield* Effect.forEach(
      [0, 0, 0, 5, 5, 9, 9, 9],
      (seconds) => Fixture.start(fixture, { createdAt: Factories.at(seconds) })
    )
    yield* Fixture.start(yield* Fixture.make())
    const { accountId, storage } = fixture
    const pages = yield* walk((page) => storage.calls.list({ accountId, filter: {}, page }), 3)
    assert.deepStrictEqual(pages.map((page) => page.length), [3, 3, 2])
    assert.deepStrictEqual(pages.flat(), calls.toSorted(Page.compare))
  }),

  "filters calls by every field that a list can name": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, agentId, storage } = fixture
    const wanted = yield* Fixture.start(fixture, { createdAt: Factories.at(5), contact: { externalId: "crm-1" } })
    const test = yield* Fixture.start(fixture, {
      createdAt: Factories.at(9),
      test: true,
      status: "completed",
      endedAt: Factories.at(9),
      outcome: Factories.outcome,
      outcomeState: "stored"
    })
    const { batch, calls } = started(yield* startBatch(fixture, { numbers: phoneNumbers(1) }))
    const [batched] = calls
    const found = (filter: Storage.CallFilter) =>
      Effect.map(
        storage.calls.list({ accountId, filter, page: { limit: 10, after: Option.none() } }),
        ({ items }) => items.map(({ id }) => id)
      )
    const all = [test.id, wanted.id, batched?.id]
    assert.deepStrictEqual(yield* found({}), all)
    assert.deepStrictEqual(yield* found({ agentId }), all)
    assert.deepStrictEqual(yield* found({ agentId: Factories.agentId() }), [])
    assert.deepStrictEqual(yield* found({ createdAfter: Factories.at(5) }), [test.id])
    assert.deepStrictEqual(yield* found({ createdBefore: Factories.at(5) }), [batched?.id])
    assert.deepStrictEqual(yield* found({ createdAfter: Factories.start, createdBefore: Factories.at(9) }), [wanted.id])
    assert.deepStrictEqual(yield* found({ statuses: ["completed", "busy"] }), [test.id])
    assert.deepStrictEqual(yield* found({ batchId: batch.id }), [batched?.id])
    assert.deepStrictEqual(yield* found({ phoneNumber: wanted.phoneNumber }), [wanted.id])
    assert.deepStrictEqual(yield* found({ externalId: "crm-1" }), [wanted.id])
    assert.deepStrictEqual(yield* found({ test: true }), [test.id])
    assert.deepStrictEqual(yield* found({ test: false, statuses: ["queued"] }), [wanted.id, batched?.id])
  }),

  "lists batches newest first, with the counts of their calls": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const ids = yield* Effect.forEach(
      [1, 2, 3],
      (count) => Effect.map(startBatch(fixture, { numbers: phoneNumbers(count) }), (result) => started(result).batch.id)
    )
    const page = yield* storage.calls.listBatches({ accountId, page: { limit: 2, after: Option.none() } })
    const rest = yield* storage.calls.listBatches({
      accountId,
      page: { limit: 2, after: Option.fromUndefinedOr(page.items.at(-1)?.batch) }
    })
    assert.isTrue(page.hasMore)
    assert.isFalse(rest.hasMore)
    const listed = [...page.items, ...rest.items]
    assert.deepStrictEqual(listed.map(({ batch }) => batch.id), ids.toSorted().toReversed())
    assert.deepStrictEqual(listed.map(({ calls }) => calls.length), [3, 2, 1])
  })
}
