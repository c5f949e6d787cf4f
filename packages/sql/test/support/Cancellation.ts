/** Work that is interrupted between its statements, and the database's content then. */
import type { Ids } from "@outdial/core"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { openTransaction } from "./Concurrency.ts"

/** Runs until just before the statement of this number, counted from 0; returns how to continue. */
export const before = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>, statement: number) {
  const stopped = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  let count = 0
  const stopping: Statement.Transformer = (self) =>
    count++ !== statement
      ? Effect.succeed(self)
      : Deferred.succeed(stopped, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as(self))
  const fiber = yield* Effect.forkChild(Effect.provideService(work, Statement.CurrentTransformer, stopping))
  yield* Effect.raceFirst(Deferred.await(stopped), Fiber.await(fiber))
  return {
    /** False when it has no such statement. */
    isStopped: count > statement,
    goOn: Effect.andThen(Deferred.succeed(go, undefined), Fiber.join(fiber))
  }
})

/** The same, interrupted after all statements and before the commit. */
export const beforeCommit = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(openTransaction(work), (goOn) => ({ isStopped: true, goOn }))

interface Column {
  readonly table_name: string
  readonly columns: ReadonlyArray<string>
}

/** Tables of accounts, with their columns but for those that the database makes; the column that names the account comes first. */
const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Column>`
    select c.table_name, array_agg(c.column_name::text order by c.column_name::text <> k.name) as columns
    from information_schema.columns as c
    cross join lateral (
      select case c.table_name when 'outdial_accounts' then 'id' else 'account_id' end as name
    ) as k
    where c.table_schema = 'public'
      and c.table_name like 'outdial\_%'
      and c.is_generated = 'NEVER'
      and c.table_name not in ('outdial_migrations', 'outdial_deployment', 'outdial_workers', 'outdial_carriers',
        'outdial_console_links', 'outdial_console_sessions', 'outdial_audit_log')
    group by c.table_name
    order by c.table_name <> 'outdial_accounts', c.table_name`
})

/** Copies an account with all its rows; each copy has the same ids and tokens as the first. */
export const copying = Effect.map(tables, (all) => {
  const names = (columns: ReadonlyArray<string>) => columns.map((column) => `"${column}"`).join(", ")
  const inserts = all.map(({ columns: [account = "", ...rest], table_name }, index) =>
    `t${index} as (
      insert into ${table_name} (${names([account, ...rest])})
      select $1, ${names(rest)} from ${table_name} where "${account}" = $2
    )`
  )
  // In one statement, at whose end references are checked.
  const text = `with ${inserts.join(", ")} select 1`
  return (from: Ids.AccountId, to: Ids.AccountId) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text, [to, from]))
})

/** All rows of an account, without its id, by table and in an order by their contents. */
export const contents = Effect.map(tables, (all) => {
  const selects = all.map(({ columns: [account = ""], table_name }) =>
    `select '${table_name}' as name, coalesce(json_agg(r.row order by r.row), '[]'::json) as rows
    from (
      select replace((to_jsonb(t) - '${account}')::text, $1, 'ACCOUNT') as row
      from ${table_name} as t
      where t."${account}" = $1
    ) as r`
  )
  return (accountId: Ids.AccountId) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(
        // In the order of their names: once the tables are large, Postgres may read them side by side.
        sql.unsafe<{ readonly name: string; readonly rows: ReadonlyArray<string> }>(
          `${selects.join(" union all ")} order by name`,
          [accountId]
        ),
        (rows) => Object.fromEntries(rows.map(({ name, rows }) => [name, rows.map((row) => JSON.parse(row))]))
      ))
})
