import { assert, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction } from "../support/Concurrency.ts"

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Storage inside a host's transaction", (it) => {
  const hostTable = (name: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table ${sql(name)} (call_id text)`)

  it.effect("starts a call if and only if the host commits", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* hostTable("host_orders")
      const kept = Factories.callId()
      const lost = Factories.callId()
      const order = (id: typeof kept) =>
        Effect.andThen(sql`insert into host_orders values (${id})`, account.start({ id }, `key of ${id}`))

      yield* sql.withTransaction(order(kept))
      yield* sql.withTransaction(Effect.andThen(order(lost), Effect.fail("host failed"))).pipe(Effect.ignore)

      assert.isTrue(yield* account.exists(kept))
      assert.isFalse(yield* account.exists(lost))
      assert.deepStrictEqual(yield* sql`select call_id from host_orders`, [{ call_id: kept }])
      assert.strictEqual((yield* account.start({ id: lost }, `key of ${lost}`))._tag, "Started")
    }))

  it.effect("keeps nothing of a refused call, and what the host wrote", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* hostTable("host_refusals")
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const result = yield* sql.withTransaction(
        Effect.andThen(sql`insert into host_refusals values ('kept')`, account.start({ phoneNumber }, "key"))
      )
      assert.strictEqual(result._tag, "Refused")
      assert.deepStrictEqual(yield* sql`select call_id from host_refusals`, [{ call_id: "kept" }])
      assert.strictEqual((yield* account.start({}, "key"))._tag, "Started")
    }))

  it.effect("leaves the key of a refused call to others while the host does not commit", () =>
    Effect.gen(function*() {
      const account = yield* Account.make()
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const commit = yield* openTransaction(account.start({ phoneNumber }, "key"))
      assert.strictEqual((yield* account.start({}, "key"))._tag, "Started")
      assert.strictEqual((yield* commit)._tag, "Refused")
    }))

  it.effect("hands over no delivery of what the host may yet undo", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* account.setWebhook
      yield* account.start()
      const token = Factories.token()
      const callIds = (yield* account.claim(token)).claimed.map(({ call }) => call.id)
      yield* account.submit(token, callIds)
      const { id: accountId, storage } = account
      const work = { accountId, now: Factories.start, token: Factories.token() }
      const ended = { _tag: "Ended", at: Factories.start, result: "busy", transcript: [], recorded: false } as const
      const { deliveries, isMore } = yield* sql.withTransaction(storage.dispatch.report({
        accountId,
        now: Factories.start,
        reports: callIds.map((callId) => ({ callId, event: ended })),
        events: account.events,
        sender: { token: work.token, limit: 10 }
      }))
      assert.deepStrictEqual([deliveries.length, isMore], [0, true])
      assert.lengthOf(yield* storage.deliveries.claim({ ...work, limit: 10 }), 1)
    }))

  it.effect("gives the host's lock timeout back, whatever came of the call", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const timeouts = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local lock_timeout = '1234ms'`
        const timeout = Effect.map(sql`show lock_timeout`, ([row]) => row)
        yield* account.start({}, "key")
        const started = yield* timeout
        yield* account.start({}, "key")
        return [started, yield* timeout]
      }))
      assert.deepStrictEqual(timeouts, [{ lock_timeout: "1234ms" }, { lock_timeout: "1234ms" }])
    }))

  it.effect("answers KeyInUse while the host that took the key does not commit", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      const started = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const host = yield* Effect.forkChild(sql.withTransaction(
        account.start({}, "key").pipe(
          Effect.tap(() => Deferred.succeed(started, undefined)),
          Effect.tap(() => Deferred.await(answered))
        )
      ))
      yield* Deferred.await(started)
      assert.strictEqual((yield* account.start({}, "key"))._tag, "KeyInUse")
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(host)
      assert.strictEqual((yield* account.start({}, "key"))._tag, "Replayed")
    }), 30_000)

  it.effect("holds up neither claims nor pauses while the host does not commit", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* account.start()
      const started = yield* Deferred.make<void>()
      const host = yield* Effect.forkChild(sql.withTransaction(
        account.start().pipe(Effect.tap(() => Deferred.succeed(started, undefined)), Effect.andThen(Effect.never))
      ))
      yield* Deferred.await(started)
      assert.strictEqual((yield* account.claim(Factories.token())).claimed.length, 1)
      assert.isTrue((yield* account.pause).paused)
      yield* Fiber.interrupt(host)
    }))
})
