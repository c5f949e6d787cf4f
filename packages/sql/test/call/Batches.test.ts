import { assert, it } from "@effect/vitest"
import { PhoneNumber, type Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Layer, Option, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction, untilBlocked } from "../support/Concurrency.ts"

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => PhoneNumber.PhoneNumber.make(`+1415${String(5_550_000 + from + index)}`))

const started = (result: Storage.StartBatchResult) => {
  if (result._tag !== "Started") throw new Error(`The batch was not started: ${result._tag}`)
  return result.stored
}

const accepted = (result: Storage.StartBatchResult) => started(result).calls

/** How many statements the effect runs. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  let statements = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") statements += 1
      return new Tracer.NativeSpan(options)
    }
  })
  return Effect.map(Effect.provideService(effect, Tracer.Tracer, tracer), () => statements)
}

const completed = {
  test: true,
  status: "completed" as const,
  endedAt: Factories.start,
  outcome: Factories.outcome,
  outcomeState: "stored" as const
}

const constantStatements = Effect.gen(function*() {
  const account = yield* Account.make()
  yield* account.setWebhook
  const one = yield* statementsOf(account.startBatch(numbers(1), { key: "one" }))
  const many = yield* statementsOf(account.startBatch(numbers(1_000, 1), { key: "many" }))
  assert.isAbove(one, 5)
  assert.strictEqual(many, one)
  const oneTest = yield* statementsOf(account.startBatch(numbers(1), { overrides: completed }))
  const manyTests = yield* statementsOf(account.startBatch(numbers(1_000), { overrides: completed }))
  assert.isAbove(oneTest, 5)
  assert.strictEqual(manyTests, oneTest)
})

it.layer(Layer.provideMerge(SqlStorage.layer, Pglite.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Batches on PGlite",
  (it) => {
    it.effect("use as many statements for 1,000 rows as for one", () => constantStatements)
  }
)

it.layer(Layer.provideMerge(SqlStorage.layer, Postgres.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Batches on Postgres",
  (it) => {
    it.effect("use as many statements for 1,000 rows as for one", () => constantStatements)

    it.effect("with common numbers never deadlock, and accept each number once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const account = yield* Account.make()
        const shared = numbers(1_000)
        const batches = [shared, shared.toReversed(), [...shared.slice(500), ...shared.slice(0, 500)]]
        const results = yield* Effect.forEach(
          batches,
          // In a transaction of its own, where a deadlock is not retried.
          (batch) => sql.withTransaction(account.startBatch(batch)),
          { concurrency: "unbounded" }
        )
        const taken = results.flatMap(accepted).map(({ phoneNumber }) => phoneNumber)
        assert.deepStrictEqual(taken.toSorted(), shared)
      }))

    it.effect("are planned again when one of their numbers was taken meanwhile", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        const [first, second, third] = numbers(3)
        if (first === undefined || second === undefined || third === undefined) return
        const commit = yield* openTransaction(account.start({ phoneNumber: second }))
        const starting = yield* Effect.forkChild(account.startBatch([third, second, first]))
        yield* untilBlocked
        yield* commit
        const calls = accepted(yield* Fiber.join(starting))
        assert.deepStrictEqual(calls.map(({ batchIndex, phoneNumber }) => [batchIndex, phoneNumber]), [
          [0, third],
          [2, first]
        ])
      }))

    it.effect("are planned again inside a host's transaction, and keep the host's writes", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        const [first, second] = numbers(2)
        if (first === undefined || second === undefined) return
        const commit = yield* openTransaction(account.start({ phoneNumber: second }))
        const before = Factories.callId()
        const sql = yield* SqlClient.SqlClient
        const hosted = yield* Effect.forkChild(sql.withTransaction(
          Effect.andThen(account.start({ id: before }), account.startBatch([first, second]))
        ))
        yield* untilBlocked
        yield* commit
        assert.strictEqual(accepted(yield* Fiber.join(hosted)).length, 1)
        assert.isTrue(yield* account.exists(before))
      }))

    it.effect("with one key are one batch, however many requests there are", () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        const asked = Array.from({ length: 12 }, () => account.startBatch(numbers(50), { key: "key" }))
        const results = yield* Effect.all(asked, { concurrency: "unbounded" })
        const ids = new Set(results.map((result) => "stored" in result ? result.stored.batch.id : result._tag))
        assert.strictEqual(results.filter(({ _tag }) => _tag === "Started").length, 1)
        assert.strictEqual(ids.size, 1)
      }))

    it.effect("are canceled while they are being claimed: each call is either canceled or dialing", () =>
      Effect.gen(function*() {
        const account = yield* Account.make(100)
        const { batch } = started(yield* account.startBatch(numbers(100)))
        const [claims, canceled] = yield* Effect.all([
          Effect.forEach(Array.from({ length: 10 }), () => account.claim(Factories.token(), 5)),
          Effect.delay(account.cancelBatch(batch.id), 5)
        ], { concurrency: "unbounded" })
        const dialing = claims.flatMap(({ claimed }) => claimed).length
        assert.strictEqual(dialing + Option.getOrThrow(canceled), 100)
        const stored = Option.getOrThrow(yield* account.storage.calls.getBatch(account.id, batch.id))
        assert.strictEqual(stored.calls.filter(({ status }) => status === "dialing").length, dialing)
        assert.strictEqual(stored.calls.filter(({ status }) => status === "canceled").length, 100 - dialing)
      }))
  }
)
