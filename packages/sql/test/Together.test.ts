/** Calls that are started at the same time, and what only a database that others use too can do to them. */
import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Deferred, Effect, Exit, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../test/support/postgres.ts"
import * as Account from "./Account.ts"
import { anotherNode, openTransaction } from "./Concurrency.ts"

const atOnce = { concurrency: "unbounded" } as const
const many = 30

const startMany = (account: Effect.Success<ReturnType<typeof Account.make>>) =>
  Effect.forEach(Array.from({ length: many }), () => account.start(), atOnce)

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Calls that are started together", (it) => {
  it.effect("are written in few transactions", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const calls = yield* startMany(account)
      assert.strictEqual(calls.filter(({ _tag }) => _tag === "Started").length, many)
      // A row has the transaction that wrote it.
      const [row] = yield* sql<{ readonly transactions: number }>`
        select count(distinct c.xmin::text)::int as transactions
        from outdial_calls as c
        where c.account_id = ${account.id}`
      assert.isAtMost(row?.transactions ?? many, 5)
    }))

  it.effect("wait for no number that somebody else holds: only whoever wants it does", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      const commit = yield* openTransaction(account.start({ phoneNumber }))
      const blocked = yield* Effect.forkChild(account.start({ phoneNumber }), { startImmediately: true })
      const others = yield* startMany(account)
      assert.strictEqual(others.filter(({ _tag }) => _tag === "Started").length, many)
      assert.isUndefined(blocked.pollUnsafe())
      yield* commit
      assert.strictEqual((yield* Fiber.join(blocked))._tag, "Refused")
    }))

  it.effect("leave a host's transaction alone: it holds its own call and none of theirs", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const id = Factories.callId()
      const begun = yield* Deferred.make<void>()
      const host = sql.withTransaction(Effect.gen(function*() {
        yield* Deferred.succeed(begun, undefined)
        const results = yield* Effect.all([account.start({ id }), account.start()], atOnce)
        assert.deepStrictEqual(results.map(({ _tag }) => _tag), ["Started", "Started"])
        return yield* Effect.fail("the host's own failure")
      }))
      const others = Effect.andThen(Deferred.await(begun), startMany(account))
      const [lost, kept] = yield* Effect.all([Effect.result(host), others], atOnce)
      assert.isTrue(Result.isFailure(lost))
      assert.isFalse(yield* account.exists(id))
      const there = yield* Effect.forEach(kept, (result) =>
        result._tag === "Started" ? account.exists(result.call.id) : Effect.succeed(false))
      assert.isTrue(there.every((isThere) =>
        isThere
      ))
    }))

  it.effect("of two nodes take each number and each key once between them", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const nodes = [account.storage, yield* anotherNode]
      const numbers = Array.from({ length: many }, () => Factories.phoneNumber())
      const results = yield* Effect.forEach(
        numbers.flatMap((phoneNumber) => nodes.map((node) => ({ node, phoneNumber }))),
        ({ node, phoneNumber }) => account.start({ phoneNumber }, phoneNumber, node),
        atOnce
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Started").length, many)
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Replayed").length, many)
    }))

  it.effect(
    "replay a key whenever its twin on another node comes to its end, and refuse nobody their own call",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const account = yield* Account.make()
        const other = yield* anotherNode
        for (let round = 0; round < 40; round++) {
          const phoneNumber = Factories.phoneNumber()
          const first = yield* Effect.forkChild(account.start({ phoneNumber }, phoneNumber, other))
          // From before the first begins until behind its commit.
          const results = yield* Effect.forEach(
            [0, 4, 8, 12, 16, 20],
            (statements) =>
              Effect.andThen(
                Effect.repeat(sql`select 1`, { times: statements }),
                account.start({ phoneNumber }, phoneNumber)
              ),
            atOnce
          )
          const tags = [yield* Fiber.join(first), ...results].map(({ _tag }) => _tag)
          assert.sameMembers([...new Set(tags)], ["Started", "Replayed"])
          assert.strictEqual(tags.filter((tag) => tag === "Started").length, 1)
        }
      }),
    30_000
  )

  it.effect("all fail when the database lets them down, and leave nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const unlock = yield* openTransaction(sql`lock table outdial_call_requests in access exclusive mode`)
      const starts = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: many }, () => Factories.callId()),
          (key) => Effect.exit(account.start({}, key)),
          atOnce
        )
      )
      const kill = sql`
        select pg_terminate_backend(a.pid)
        from pg_stat_activity as a
        where a.datname = current_database() and a.wait_event_type = 'Lock'`
      yield* Effect.repeat(kill, { until: () => starts.pollUnsafe() !== undefined })
      const exits = yield* Fiber.join(starts)
      yield* unlock
      assert.isTrue(exits.every((exit) => Exit.isFailure(exit) && Exit.hasFails(exit)))
      const [row] = yield* sql`
        select
          (select count(*) from outdial_calls as c where c.account_id = ${account.id})::int as calls,
          (select count(*) from outdial_idempotency_keys as i where i.account_id = ${account.id})::int as keys`
      assert.deepStrictEqual(row, { calls: 0, keys: 0 })
    }))
})
