import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Wakeups } from "@outdial/core"
import { Postgres, PostgresWakeups, SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Clock, Context, Effect, Fiber, Layer, Logger, Queue, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"
import { openTransaction } from "../support/Concurrency.ts"

const accountId = Factories.accountId()

/** A node with its own pool. */
const node = (url: string) =>
  Layer.build(PostgresWakeups.layer.pipe(Layer.provideMerge(Postgres.layer({ url: Redacted.make(url) })))).pipe(
    Effect.map((context) => ({ wakeups: Context.get(context, Wakeups.Wakeups), context }))
  )

/** Two nodes on one database. */
const nodes = Effect.gen(function*() {
  const url = yield* Database.database
  return { url, here: yield* node(url), there: yield* node(url) }
})

/** Returns when that many connections of the database listen; each begins to listen with a wake-up for every loop. */
const untilListening = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      select 1
      from pg_stat_activity
      where datname = current_database() and query ilike 'listen%' and state = 'idle'`).pipe(
      Effect.repeat({ until: (rows) => rows.length === count, schedule: Schedule.spaced("10 millis") })
    )

/** Lets the node wait for the topic, without earlier wake-ups. */
const asleep = Effect.fnUntraced(function*({ wakeups }: Effect.Success<ReturnType<typeof node>>, topic: Wakeups.Topic) {
  yield* wakeups.wait(topic)
  const fiber = yield* Effect.forkChild(wakeups.wait(topic), { startImmediately: true })
  return { fiber, isAwake: Effect.sync(() => fiber.pollUnsafe() !== undefined) }
})

it.layer(Layer.empty, { excludeTestServices: true, timeout: "60 seconds" })("Wake-ups on one Postgres", (it) => {
  it.effect("reach the loop of another node, and no other loop", () =>
    Effect.gen(function*() {
      const { here, there } = yield* nodes
      yield* untilListening(2).pipe(Effect.provide(here.context))
      const dialing = yield* asleep(there, "dial")
      const delivering = yield* asleep(there, "delivery")

      yield* here.wakeups.notify("dial", accountId)

      yield* Fiber.join(dialing.fiber)
      assert.isFalse(yield* delivering.isAwake)
    }))

  it.effect("name the account to the node itself, once and before other nodes are notified", () =>
    Effect.gen(function*() {
      const { here, there } = yield* nodes
      yield* untilListening(2).pipe(Effect.provide(here.context))
      const other = yield* asleep(there, "dial")
      assert.isUndefined(yield* here.wakeups.wait("dial"))

      yield* here.wakeups.notify("dial", accountId)
      assert.deepStrictEqual(yield* here.wakeups.wait("dial"), new Set([accountId]))

      // Wakes once; the node has received its own wake-up before it receives a later one.
      assert.isUndefined(yield* Fiber.join(other.fiber))
      const again = yield* Effect.forkChild(here.wakeups.wait("dial"), { startImmediately: true })
      const later = yield* asleep(here, "outcome")
      yield* there.wakeups.notify("outcome", accountId)
      yield* Fiber.join(later.fiber)
      assert.isUndefined(again.pollUnsafe())
    }))

  it.effect("are sent to other nodes after the node itself had time to do the work", () =>
    Effect.gen(function*() {
      const { here, there, url } = yield* nodes
      const clock = yield* TestClock.make()
      const paused = yield* node(url).pipe(Effect.provideService(Clock.Clock, clock))
      yield* untilListening(3).pipe(Effect.provide(here.context))
      const own = yield* asleep(paused, "dial")
      const other = yield* asleep(there, "dial")
      const later = yield* asleep(there, "delivery")

      yield* paused.wakeups.notify("dial", accountId)
      assert.deepStrictEqual(yield* Fiber.join(own.fiber), new Set([accountId]))
      yield* here.wakeups.notify("delivery", accountId)
      yield* Fiber.join(later.fiber)
      assert.isFalse(yield* other.isAwake)

      yield* clock.adjust("5 millis")
      yield* Fiber.join(other.fiber)
    }))

  it.effect("of a host's transaction are sent only when it commits", () =>
    Effect.gen(function*() {
      const { here, there } = yield* nodes
      yield* untilListening(2).pipe(Effect.provide(here.context))
      const woken = yield* asleep(there, "dial")
      const other = yield* asleep(there, "outcome")
      const inHost = (topic: Wakeups.Topic) => here.wakeups.notify(topic, accountId)

      const commit = yield* openTransaction(inHost("dial")).pipe(Effect.provide(here.context))
      const sql = Context.get(here.context, SqlClient.SqlClient)
      yield* Effect.ignore(sql.withTransaction(Effect.andThen(inHost("outcome"), Effect.fail("the host failed"))))
      // Sent after both, and received after them.
      const later = yield* asleep(there, "delivery")
      yield* here.wakeups.notify("delivery", accountId)
      yield* Fiber.join(later.fiber)
      assert.isFalse(yield* woken.isAwake)
      yield* commit

      yield* Fiber.join(woken.fiber)
      assert.isFalse(yield* other.isAwake)
    }))

  it.effect("are combined into one NOTIFY", () =>
    Effect.gen(function*() {
      const { here, there } = yield* nodes
      yield* untilListening(2).pipe(Effect.provide(here.context))
      const heard = yield* Context.get(there.context, PgClient.PgClient).listen("outdial_wakeups")
      const many = 1000
      yield* Effect.forEach(Array.from({ length: many }), () => here.wakeups.notify("dial", accountId))
      const first = yield* Queue.take(heard)
      assert.match(first.payload, /^dial /)
      // The last notification arrives last.
      yield* here.wakeups.notify("outcome", accountId)
      let others = 0
      while ((yield* Queue.take(heard)).payload.startsWith("dial")) others += 1
      assert.isAtMost(others, many / 10)
    }))

  it.effect("are received again after the connection was lost, and every loop polls once", () =>
    Effect.gen(function*() {
      const { here, there } = yield* nodes
      yield* untilListening(2).pipe(Effect.provide(here.context))
      const outcome = yield* asleep(there, "outcome")
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where datname = current_database() and query ilike 'listen%'`).pipe(Effect.provide(here.context))

      yield* Fiber.join(outcome.fiber)
      const dialing = yield* asleep(there, "dial")
      yield* untilListening(2).pipe(Effect.provide(here.context))
      yield* here.wakeups.notify("dial", accountId)
      yield* Fiber.join(dialing.fiber)
      // The lost connections are logged.
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("leave a client's only connection to statements, unless it opens one to listen", () =>
    Effect.gen(function*() {
      const url = yield* Database.database
      const single = (acquireForStream: boolean) =>
        Layer.build(PostgresWakeups.layer.pipe(Layer.provideMerge(
          PgClient.layerFrom(PgClient.makeClient({ url: Redacted.make(url), acquireForStream }))
        ))).pipe(
          Effect.map((context) => ({ wakeups: Context.get(context, Wakeups.Wakeups), context }))
        )
      const [alone, listening] = [yield* single(false), yield* single(true)]
      yield* untilListening(1).pipe(Effect.provide(listening.context))
      const woken = yield* asleep(listening, "dial")
      yield* alone.wakeups.notify("dial", accountId)
      yield* Fiber.join(woken.fiber)
      const sql = Context.get(alone.context, SqlClient.SqlClient)
      assert.lengthOf(yield* sql`select 1`, 1)
      // It logs that it does not listen.
    }).pipe(Effect.provide(Logger.layer([]))))
})

it.layer(Layer.provideMerge(SqlStorage.layer, Database.layer), { excludeTestServices: true })("A claim", (it) => {
  it.effect("reports that another claim has the account, so that the loop polls again", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Account.make()
      yield* account.start()
      const release = yield* openTransaction(
        sql`select id from outdial_accounts where id = ${account.id} for no key update`
      )
      assert.isTrue((yield* account.claim(Factories.token())).isLocked)
      yield* release
      const { claimed, isLocked } = yield* account.claim(Factories.token())
      assert.isFalse(isLocked)
      assert.lengthOf(claimed, 1)
    }))
})
