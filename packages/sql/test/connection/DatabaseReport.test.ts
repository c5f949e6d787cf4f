import { assert, it } from "@effect/vitest"
import { DatabaseReport, Postgres } from "@outdial/sql"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import * as PostgresDatabase from "../../../../test/support/postgres.ts"

/** What a role is told that may use its own tables and nothing else; it is gone with the transaction. */
const asAnybody = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`create role outdial_anybody`.pipe(
    Effect.andThen(sql`set local role outdial_anybody`),
    Effect.andThen(DatabaseReport.read),
    // A failure takes the transaction back.
    Effect.flatMap((report) => Effect.fail({ report })),
    sql.withTransaction,
    Effect.catchIf((error) => "report" in error, ({ report }) => Effect.succeed(report))
  ))

describe("the report on a Postgres", () => {
  it.live("counts the connections of everybody, and does not take what it may not see for none", () =>
    Effect.gen(function*() {
      const url = Redacted.make(yield* PostgresDatabase.database)
      const another = yield* Layer.build(Postgres.layer({ url }))
      yield* Effect.provide(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`), another)
      const report = Effect.provide(Effect.all([DatabaseReport.read, asAnybody]), Postgres.layer({ url }))
      const [seen, unseen] = yield* report
      assert.isAtLeast(Math.min(seen.connections, unseen.connections), 2)
      assert.deepStrictEqual([seen.synchronousStandbys, unseen.synchronousStandbys], [0, null])
    }))
})
