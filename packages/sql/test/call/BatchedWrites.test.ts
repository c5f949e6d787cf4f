/** Calls that are started concurrently, with failures and locks that only a shared database has. */
import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Deferred, Effect, Exit, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { anotherNode, openTransaction } from "../support/Concurrency.ts"

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

  it.effect("wait for a locked number only if they call it", () =>
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

  it.effect("are written in few transactions even if one of the numbers is locked", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      const commit = yield* openTransaction(account.start({ phoneNumber }))
      // In the middle of them, so that there are others on both sides.
      const numbers = Array.from({ length: 128 }, (_, n) => n === 50 ? phoneNumber : Factories.phoneNumber())
      const starts = yield* Effect.forEach(
        numbers,
        (phoneNumber) => Effect.forkChild(account.start({ phoneNumber }))
      )
      const blocked = starts.splice(50, 1)
      const others = yield* Effect.forEach(starts, Fiber.join)
      assert.strictEqual(others.filter(({ _tag }) => _tag === "Started").length, numbers.length - 1)
      assert.isUndefined(blocked[0]?.pollUnsafe())
      const [row] = yield* sql<{ readonly transactions: number }>`
        select count(distinct c.xmin::text)::int as transactions
        from outdial_calls as c
        where c.account_id = ${account.id}`
      assert.isAtMost(row?.transactions ?? numbers.length, 12)
      yield* commit
      yield* Effect.forEach(blocked, Fiber.join)
    }))

  it.effect(
    "leave connections to everybody else while somebody holds what they want, and give up in the end",
    () =>
      Effect.gen(function*() {
        const account = yield* Account.make()
        const other = yield* Account.make()
        const numbers = Array.from({ length: many }, () => Factories.phoneNumber())
        const commit = yield* openTransaction(
          Effect.forEach(numbers, (phoneNumber) => account.start({ phoneNumber }), { discard: true })
        )
        const blocked = yield* Effect.forEach(
          numbers,
          (phoneNumber) => Effect.forkChild(Effect.result(account.start({ phoneNumber })))
        )
        // More than the pool has connections. All finish before a request gives up.
        const others = yield* Effect.forEach(
          Array.from({ length: many }),
          () => other.start(),
          atOnce
        )
        assert.strictEqual(others.filter(({ _tag }) => _tag === "Started").length, many)
        assert.isTrue(blocked.every((fiber) => fiber.pollUnsafe() === undefined))
        const results = yield* Effect.forEach(blocked, Fiber.join)
        assert.deepStrictEqual(
          new Set(results.map((result) => Result.isFailure(result) && result.failure.reason)),
          new Set(["conflict" as const])
        )
        yield* commit
        const again = yield* Effect.forEach(numbers, (phoneNumber) => account.start({ phoneNumber }), atOnce)
        assert.deepStrictEqual(new Set(again.map(({ _tag }) => _tag)), new Set(["Refused"]))
      }),
    120_000
  )

  it.effect("need no lock for each call, which would exceed the lock table", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const unlock = yield* openTransaction(sql`lock table outdial_call_requests in access exclusive mode`)
      const starts = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: many }, () => Factories.callId()), (key) => account.start({}, key), atOnce)
      )
      const waiters = sql<{ readonly locks: number }>`
        select count(l.pid) filter (where l.locktype = 'advisory')::int as locks
        from pg_locks as w
        join pg_locks as l on l.pid = w.pid
        where w.locktype = 'relation' and w.mode = 'RowExclusiveLock' and not w.granted
        group by w.pid`
      const held = yield* Effect.repeat(waiters, { until: (rows) => rows.length > 0 })
      yield* unlock
      for (const { locks } of held) assert.isAtMost(locks, 1)
      const started = yield* Fiber.join(starts)
      assert.strictEqual(started.filter(({ _tag }) => _tag === "Started").length, many)
    }))

  it.effect("are not batched into a host's transaction", () =>
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

  it.effect("of two nodes use each number and each key once", () =>
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
          // From before the first begins until after its commit.
          const results = yield* Effect.forEach(
            [0, 4, 8, 12, 16, 20],
            (statements) =>
              Effect.andThen(
                Effect.repeat(sql`select 1`, { times: statements }),
                // Alternately batched: several keys are read in another way than one.
                Effect.map(
                  Effect.all([
                    account.start({ phoneNumber }, phoneNumber),
                    ...(round % 2 === 0 ? [] : [account.start({}, Factories.callId())])
                  ], atOnce),
                  ([result]) => result
                )
              ),
            atOnce
          )
          const tags = [yield* Fiber.join(first), ...results].map((result) => result?._tag)
          assert.sameMembers([...new Set(tags)], ["Started", "Replayed"])
          assert.strictEqual(tags.filter((tag) => tag === "Started").length, 1)
        }
      }),
    120_000
  )

  it.effect("all fail when the database fails, and leave nothing", () =>
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
