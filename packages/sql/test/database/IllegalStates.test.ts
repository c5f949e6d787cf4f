/** Every CHECK constraint, tried with the states that it forbids. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import { type Row, tables } from "../support/IllegalStates.ts"

const accepted = { _tag: "Accepted" } as const

/** The database's answer to this work, which is rolled back. */
const tried = Effect.fnUntraced(function*(...work: ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>>) {
  const sql = yield* SqlClient.SqlClient
  const said = yield* Effect.flip(sql.withTransaction(Effect.andThen(Effect.all(work), Effect.fail(accepted))))
  if (!SqlError.isSqlError(said)) return said
  // The driver's error.
  const { code, constraint } = said.reason.cause as { readonly code?: string; readonly constraint?: string }
  return { code, constraint }
})

const insert = (sql: SqlClient.SqlClient, table: string, row: Row) =>
  sql`
    insert into ${sql(table)} (${sql.csv(Object.keys(row).map((column) => sql`${sql(column)}`))})
    select ${sql.csv(Object.keys(row).map((column) => sql`${sql(column)}`))}
    from json_populate_record(null::${sql(table)}, ${JSON.stringify(row)}::json)`

const drop = (sql: SqlClient.SqlClient, table: string, check: string) =>
  sql`alter table ${sql(table)} drop constraint ${sql(check)}`

const states = Object.entries(tables).flatMap(([table, { checks, row }]) =>
  Object.entries(checks).flatMap(([check, states]) =>
    Object.entries(states).map(([what, { illegal, legal = {} }]) => ({
      table,
      check,
      what,
      illegal: { ...row, ...illegal },
      legal: { ...row, ...legal }
    }))
  )
)

it.layer(Pglite.layer, { excludeTestServices: true, timeout: "60 seconds" })("CHECK constraints", (it) => {
  it.effect("all have an illegal state that is tried", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const checks = yield* sql<{ readonly name: string }>`
        select c.conrelid::regclass::text || '.' || c.conname as name
        from pg_constraint as c
        join pg_class as t on t.oid = c.conrelid
        where c.contype = 'c'
          and t.relname like 'outdial\_%'`
      assert.deepStrictEqual(
        [...new Set(states.map(({ check, table }) => `${table}.${check}`))].sort(),
        checks.map(({ name }) => name).sort()
      )
    }))

  it.effect("each refuse their illegal states, and nothing else refuses them", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from outdial_deployment`
      yield* insert(sql, "outdial_accounts", { ...tables["outdial_accounts"]?.row, id: "acct_1" })
      yield* sql`insert into outdial_agents (account_id, id, version, created_at) values ('acct_1', 'agent_1', 1, '2026-01-01')`
      for (const { check, illegal, legal, table, what } of states) {
        const found = {
          illegal: yield* tried(insert(sql, table, illegal)),
          withoutTheCheck: yield* tried(drop(sql, table, check), insert(sql, table, illegal)),
          legal: yield* tried(insert(sql, table, legal))
        }
        assert.deepStrictEqual(
          found,
          { illegal: { code: "23514", constraint: check }, withoutTheCheck: accepted, legal: accepted },
          `${check}: ${what}`
        )
      }
    }))
})
