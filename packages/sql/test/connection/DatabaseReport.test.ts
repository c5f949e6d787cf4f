import { assert, it } from "@effect/vitest"
import { DatabaseReport, Postgres } from "@outdial/sql"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import * as PostgresDatabase from "../../../../test/support/postgres.ts"

/** What a role sees that may only use its own tables; the role is dropped with the transaction. */
const asAnybody = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`create role outdial_anybody`.pipe(
    Effect.andThen(sql`set local role outdial_anybody`),
    Effect.andThen(DatabaseReport.read),
    // A failure rolls the transaction back.
    Effect.flatMap((report) => Effect.fail({ report })),
    sql.withTransaction,
    Effect.catchIf((error) => "report" in error, ({ report }) => Effect.succeed(report))
  ))

describe("the report on a Postgres", () => {
  it.live("counts the connections of all users, and distinguishes invisible from none", () =>
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
