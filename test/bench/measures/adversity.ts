/** Whole lives of calls while something is wrong with the database, beside the same without: what is kept of the pace. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Lifecycles from "../Lifecycles.ts"
import * as Measurement from "../Measurement.ts"
import * as Fixture from "../Fixture.ts"

/** How long the snapshot is held, under load, before it is measured what is left. */
const heldFor = 8

/** A long snapshot of the database, such as a dump, a report or a forgotten transaction. */
export const oldSnapshot = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_snapshot")
  const { run } = yield* Lifecycles.make(fixture, 1)

  /** Beside an open snapshot that has grown old in the same work. */
  const held = Effect.fnUntraced(function*(count: number) {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`select count(*) from outdial_accounts`
      const start = performance.now()
      while (performance.now() - start < heldFor * 1000) yield* run(count)
      return yield* run(count)
    })).pipe(Effect.provideService(SqlClient.BeginTransaction, "begin isolation level repeatable read"))
  }, Effect.provide(PgClient.layer({ url: Redacted.make(fixture.url), maxConnections: 1 })))

  return yield* Measurement.measured({
    figures: [{
      name: "lifecycles-old-snapshot",
      unit: "calls/s",
      better: "more",
      goals: [{ text: "≥ 0.8 of the rate without", isReached: (_, ratio) => ratio >= 0.8 }]
    }],
    ours: held,
    peers: [{ label: "without the snapshot", run }],
    first: 200,
    most: 8000
  })
})

/** Every commit takes a millisecond more, as on disks that flush slowly. */
export const commitDelay = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_delay")
  const { run } = yield* Lifecycles.make(fixture, 1)
  const { sql } = fixture
  const set = (micros: number) =>
    Effect.gen(function*() {
      yield* sql.unsafe(`alter system set commit_delay = ${micros}`).unprepared
      yield* sql`alter system set commit_siblings = 0`.unprepared
      yield* sql`select pg_reload_conf()`
    })
  yield* Effect.addFinalizer(() => Effect.ignore(set(0)))
  return yield* Measurement.measured({
    figures: [{
      name: "lifecycles-1-ms-flush",
      unit: "calls/s",
      better: "more",
      goals: [{ text: "≥ 0.9 of the rate without", isReached: (_, ratio) => ratio >= 0.9 }]
    }],
    ours: (count) => Effect.ensuring(Effect.andThen(set(1000), run(count)), Effect.ignore(set(0))),
    peers: [{ label: "without the delay", run }],
    first: 200,
    most: 15_000
  })
})
