import { assert, it } from "@effect/vitest"
import { Migrations } from "@outdial/sql"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../test/support/postgres.ts"

it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("Migrations", (it) => {
  it.effect("run once, whoever starts them at the same time", () =>
    Effect.gen(function*() {
      const runs = yield* Effect.all(Array.from({ length: 4 }, () => Migrations.run), { concurrency: "unbounded" })
      assert.deepStrictEqual(runs.flat(), [[1, "accounts"], [2, "calls"], [3, "events"], [4, "keeping"]])
      assert.deepStrictEqual(yield* Migrations.run, [])
    }))

  it.effect("make only tables that carry Outdial's name", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      const strange = yield* sql`
        select tablename
        from pg_tables
        where schemaname = 'public' and tablename not like 'outdial\_%'`
      assert.deepStrictEqual(strange, [])
    }))
})
