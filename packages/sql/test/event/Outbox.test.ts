import { assert, it } from "@effect/vitest"
import { type Event, EventBodies, Ids, PhoneNumber } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Layer, Option } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction, untilBlocked } from "../support/Concurrency.ts"

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

type Account = Effect.Success<ReturnType<typeof Account.make>>

const testCall = (id: Ids.CallId) => ({
  id,
  test: true,
  status: "completed" as const,
  endedAt: Factories.start,
  outcome: Factories.outcome,
  outcomeState: "stored" as const
})

/** A test call whose event stays uncommitted until the returned effect commits it, and that event's id. */
const openEvent = Effect.fnUntraced(function*(account: Account) {
  const id = Factories.callId()
  return { id: Ids.terminalEventId(id), commit: yield* openTransaction(account.start(testCall(id))) }
})

const event = Effect.fnUntraced(function*(account: Account) {
  const id = Factories.callId()
  yield* account.start(testCall(id))
  return Ids.terminalEventId(id)
})

const subscribe = ({ id: accountId, storage }: Account, events: ReadonlyArray<Event.SubscribableKind>) =>
  storage.subscriptions.put({ accountId, name: "crm", events, now: Factories.start })

const claim = ({ id: accountId, storage }: Account) =>
  Effect.map(
    storage.subscriptions.claim({ accountId, name: "crm", now: Factories.start, token: Factories.token() }),
    (claimed) => claimed.map(({ event }) => event.id)
  )

const complete = ({ id: accountId, storage }: Account) =>
  storage.calls.completeBatches({
    accountId,
    now: Factories.start,
    limit: 1000,
    event: ({ batch, calls }) => EventBodies.batchCompleted(batch, calls, Factories.start)
  })

// One test at a time: it reads which statements of the whole database are blocked.
it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "Events that are written at the same time",
  (it) => {
    it.effect("come in the feed after those that committed earlier, even if they were created first", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        const read = (after: number) => account.storage.events.readFeed({ accountId: account.id, after, limit: 10 })
        const slow = yield* openEvent(account)
        const quick = yield* event(account)
        const first = yield* read(0)
        assert.deepStrictEqual(first.items.map(({ id }) => id), [quick])
        yield* slow.commit
        const second = yield* read(first.items.at(-1)?.position ?? 0)
        assert.deepStrictEqual(second.items.map(({ id }) => id), [slow.id])
      }))

    it.effect("all reach a subscriber, in whatever order they commit", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        yield* subscribe(account, ["call.completed"])
        const slow = yield* openEvent(account)
        const quick = yield* event(account)
        assert.deepStrictEqual(yield* claim(account), [quick])
        yield* slow.commit
        assert.deepStrictEqual(yield* claim(account), [slow.id])
      }))

    it.effect("are dropped with a subscriber that is removed meanwhile", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        yield* subscribe(account, ["call.completed"])
        const slow = yield* openEvent(account)
        const key = { accountId: account.id, name: "crm" }
        const forgetting = yield* Effect.forkChild(account.storage.subscriptions.delete(key))
        yield* untilBlocked
        yield* slow.commit
        yield* Fiber.join(forgetting)
        assert.deepStrictEqual(yield* account.storage.subscriptions.due([key]), [])
      }))

    it.effect("are one batch.completed when two last calls end at the same time", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        yield* subscribe(account, ["batch.completed"])
        const numbers = ["+14155550101", "+14155550102"].map((number) => PhoneNumber.PhoneNumber.make(number))
        const result = yield* account.startBatch(numbers)
        const [one, other] = result._tag === "Started" ? result.stored.calls : []
        if (one === undefined || other === undefined) return assert.fail("two calls were started")
        const commit = yield* openTransaction(account.cancel(one.id))
        yield* account.cancel(other.id)
        yield* complete(account)
        assert.deepStrictEqual(yield* claim(account), [])
        yield* commit
        yield* Effect.all(Array.from({ length: 4 }, () => complete(account)), { concurrency: "unbounded" })
        assert.strictEqual((yield* claim(account)).length, 1)
      }))

    it.effect("do not wait for each other when calls of one batch end", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        yield* subscribe(account, ["batch.completed"])
        const numbers = Array.from({ length: 9 }, (_, n) => PhoneNumber.PhoneNumber.make(`+1415555020${n}`))
        const result = yield* account.startBatch(numbers)
        const calls = result._tag === "Started" ? result.stored.calls : []
        const commits = yield* Effect.forEach(calls.slice(0, 4), ({ id }) => openTransaction(account.cancel(id)))
        yield* Effect.forEach(calls.slice(4), ({ id }) => account.cancel(id))
        yield* Effect.all(commits)
        yield* complete(account)
        assert.strictEqual((yield* claim(account)).length, 1)
      }))

    it.effect("let 16 nodes claim an endpoint's backlog with never more than four in flight, and none twice", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        yield* account.setWebhook
        for (let n = 0; n < 60; n++) yield* event(account)
        const sent: Array<string> = []
        let inFlight = 0
        const node = Effect.gen(function*() {
          while (sent.length < 60) {
            const token = Factories.token()
            const claimed = yield* account.storage.deliveries.claim({
              accountId: account.id,
              now: Factories.start,
              limit: 100,
              token
            })
            inFlight += claimed.length
            assert.isAtMost(inFlight, 4)
            sent.push(...claimed.map(({ id }) => id))
            yield* Effect.yieldNow
            inFlight -= claimed.length
            yield* account.storage.deliveries.settle({
              accountId: account.id,
              token,
              now: Factories.start,
              results: claimed.map(({ id }) => ({
                deliveryId: id,
                result: { _tag: "Delivered" },
                attempt: { at: Factories.start, cause: "schedule", statusCode: 200, durationMs: 1 }
              }))
            })
          }
        })
        yield* Effect.all(Array.from({ length: 16 }, () => node), { concurrency: "unbounded" })
        assert.strictEqual(new Set(sent).size, 60)
        assert.strictEqual(sent.length, 60)
        assert.isTrue(Option.isSome(yield* account.storage.webhooks.get(account.id)))
      }))
  }
)
