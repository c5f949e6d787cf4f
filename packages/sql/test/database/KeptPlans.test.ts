import { assert, it } from "@effect/vitest"
import { Migrations, Postgres, SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { database } from "../../../../test/support/postgres.ts"
import * as Racing from "../support/Races.ts"

/** So many runs are planned with their values before Postgres asks whether one plan would do for all. */
const plannedFirst = 5

const lives = 15

/** Statements are prepared by connection, and so there is only one. */
const layer = SqlStorage.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(
    Layer.unwrap(Effect.map(database, (url) => Postgres.layer({ url: Redacted.make(url), maxConnections: 1 })))
  )
)

/** How often each statement was planned with its values. */
const planned = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly statement: string; readonly times: number }>`
    select p.statement, p.custom_plans::int as times
    from pg_prepared_statements as p`.unprepared
  return new Map(rows.map(({ statement, times }) => [statement, times]))
})

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "The claim, the fence and the end of a call",
  (it) => {
    it.effect("are not planned again for each single call", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const account = yield* Racing.make()
        yield* account.startBatch(Array.from({ length: 1000 }, () => Factories.phoneNumber()))
        yield* Effect.forEach(Array.from({ length: lives }), () => account.start())
        yield* sql`analyze`.unprepared
        const before = yield* planned
        for (let life = 0; life < lives; life++) {
          const claimed = yield* account.claim(life, 1)
          assert.lengthOf(yield* account.submit(claimed, life), 1)
          yield* account.end(claimed.ids, life)
        }
        const often = [...yield* planned].filter(([statement, times]) =>
          times - (before.get(statement) ?? 0) > plannedFirst
        )
        assert.deepStrictEqual(often, [])
      }))
  }
)
