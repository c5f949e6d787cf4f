/** Two concurrent transactions, one step at a time, for tests of races on Postgres. */
import { Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Runs the work in a transaction that stays open until the returned effect commits it. */
export const openTransaction = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(sql.withTransaction(
    work.pipe(Effect.tap(() => Deferred.succeed(done, undefined)), Effect.tap(() => Deferred.await(release)))
  ))
  yield* Effect.raceFirst(Deferred.await(done), Fiber.join(fiber))
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(fiber))
})

/** Waits until a statement of this database waits for a lock. */
export const untilBlocked = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const blocked = sql`
    select 1
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  yield* Effect.repeat(blocked, { until: (rows) => rows.length > 0, times: 2_000 })
})

/** The storage of another node on the same database, with its own batches. */
export const anotherNode = Effect.map(
  Layer.build(Layer.fresh(SqlStorage.layer)),
  (services) => Context.get(services, Storage.Storage)
)
