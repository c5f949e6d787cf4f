import { assert, it } from "@effect/vitest"
import { Migrations } from "@outdial/sql"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as schema from "../../../../scripts/schema.ts"
import * as SchemaReference from "../../../../scripts/schema/SchemaReference.ts"
import * as Postgres from "../../../../test/support/postgres.ts"

it.layer(Postgres.layerEmpty, { excludeTestServices: true, timeout: "60 seconds" })("Migrations", (it) => {
  it.effect("run once when several nodes start at the same time", () =>
    Effect.gen(function*() {
      const runs = yield* Effect.all(Array.from({ length: 4 }, () => Migrations.run), { concurrency: "unbounded" })
      const ran = Object.keys(Migrations.migrations).map((name) => [parseInt(name, 10), name.slice("0000_".length)])
      assert.deepStrictEqual(runs.flat().map((one) => [...one]), ran)
      assert.deepStrictEqual(yield* Migrations.run, [])
    }))

  it.effect("create only tables with Outdial's prefix", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      const strange = yield* sql`
        select tablename
        from pg_tables
        where schemaname = 'public' and tablename not like 'outdial\_%'`
      assert.deepStrictEqual(strange, [])
    }))

  it.effect("create the schema in schema.sql", () =>
    Effect.gen(function*() {
      yield* Migrations.run
      const kept = readFileSync(join(import.meta.dirname, "../../../..", schema.path), "utf8")
      assert.strictEqual(yield* schema.dump, kept, "Run `npm run generate`, and read the diff")
    }))

  it.effect("create the tables that docs/reference/schema.md describes", () =>
    Effect.gen(function*() {
      yield* Migrations.run
      const kept = readFileSync(join(import.meta.dirname, "../../../..", SchemaReference.path), "utf8")
      const page = SchemaReference.page(yield* SchemaReference.catalog)
      assert.strictEqual(page, kept, "Run `npm run generate`, and read the diff")
    }))

  it.effect("make no table, column, index or CHECK without a description, and none is described that they do not make", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      const before = yield* SchemaReference.catalog
      const changed = Effect.gen(function*() {
        yield* sql`create table outdial_extra (id int)`
        yield* sql`
          alter table outdial_usage
            add column minutes int constraint outdial_usage_minutes check (minutes >= 0),
            drop column seconds`
        yield* sql`create index outdial_usage_minutes on outdial_usage (account_id, minutes)`
        // Fails, so that the changes are undone.
        return yield* Effect.fail({ after: yield* SchemaReference.catalog })
      })
      const said = yield* Effect.flip(sql.withTransaction(changed))
      const { after } = "after" in said ? said : assert.fail(String(said))
      const { outdial_feeds = assert.fail(), ...others } = SchemaReference.descriptions
      const emptied = {
        ...others,
        outdial_feeds: { ...outdial_feeds, columns: { ...outdial_feeds.columns, account_id: " " } }
      }
      const faults = (tables: ReadonlyArray<SchemaReference.Table>, described = SchemaReference.descriptions) => {
        const page = Result.try(() => SchemaReference.page(tables, described))
        return Result.isFailure(page) ? String(page.failure).split("\n").slice(1) : []
      }
      assert.deepStrictEqual(faults(before), [])
      assert.deepStrictEqual(faults(before, emptied), ["column outdial_feeds.account_id has no description"])
      assert.deepStrictEqual(faults(before, others), ["table outdial_feeds has no description"])
      assert.deepStrictEqual(faults(after), [
        "table outdial_extra has no description",
        "column outdial_usage.minutes has no description",
        "column outdial_usage.seconds is described and does not exist",
        "index outdial_usage_minutes has no description",
        "CHECK outdial_usage_minutes has no description",
        "CHECK outdial_usage_seconds_check is described and does not exist"
      ])
    }))

  it.effect("make indexes on calls of nothing that changes between a claim and the end", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      // Predicates included: the database writes to all indexes of a row when any of these changes.
      const columns = yield* sql<{ readonly name: string }>`
        select distinct a.attname as name
        from pg_index as i
        join pg_depend as d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
        join pg_attribute as a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
        where i.indrelid = 'outdial_calls'::regclass
          and d.refobjid = i.indrelid
        union
        select a.attname
        from pg_constraint as c
        join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
        where c.conrelid = 'outdial_calls'::regclass
          and c.contype = 'p'`
      assert.sameMembers(columns.map(({ name }) => name), [
        "account_id",
        "id",
        "phone_number",
        "test",
        "stage",
        "created_at",
        "lane",
        "priority",
        "due_at",
        "expires_at",
        "dialed_at"
      ])
    }))

  it.effect("prevent a second terminal event of a call, whatever its id", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      const insert = (id: string, type: string) =>
        Effect.result(sql`
          insert into outdial_events (account_id, id, call_id, type, created_at, body)
          values ('acct_1', ${id}, 'call_1', ${type}, '2026-01-01', '{}')`)
      const written = yield* Effect.forEach([
        insert("evt_1", "call.completed"),
        insert("evt_1", "call.not_connected"),
        insert("evt_2", "call.not_connected"),
        insert("evt_2D1", "call.dialing"),
        insert("evt_1P1", "call.dialing"),
        insert("evt_1D1", "call.dialing")
      ], Effect.map(Result.isSuccess))
      assert.deepStrictEqual(written, [true, false, false, false, false, true])
    }))
})
