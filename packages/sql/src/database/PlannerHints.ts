/**
 * How statements keep Postgres's planner to their indexes. Statistics may be old and plans are kept for a connection, so a plan may be
 * from when the tables were small. Each hint names the test that fails without it.
 */
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient

/**
 * For the right side of `=`: a set whose size the planner does not see. If it sees the size, the generic plan looks more expensive
 * than the plan for a single call, and each statement is planned again, which takes longer than running it: `KeptPlans.test.ts`.
 * A statement that joins a set gives its ids this way, too: from the join alone, a plan from when the tables were small reads the
 * whole table once.
 */
export const anyOf = (sql: Sql, values: ReadonlyArray<string>): Statement.Fragment =>
  sql`any(array(select unnest(${values}::text[])))`

/**
 * Plans the statement each time, for its values and the present size of the tables: for lists, and for lookups once for each value. A
 * kept plan may read the whole table for each value: `GrowingTables.test.ts`.
 */
export const plannedEachTime = <A>(statement: Statement.Statement<A>) => statement.unprepared

/**
 * Ends a lateral lookup of one row by its key, where a join or `exists` would do. The planner then looks up each row by the index, and
 * does not read the whole table once: `test/long/plans.test.ts`.
 */
export const oneRow = (sql: Sql): Statement.Fragment => sql`limit 1`

/** The condition, for which the planner uses no partial index in place of the primary key: `test/long/plans.test.ts`. */
export const unindexed = (sql: Sql, condition: Statement.Fragment): Statement.Fragment =>
  sql`case when ${condition} then true end`

/**
 * Settings of a transaction that keeps its plans and uses indexes, to be selected by its first statement. For claims, whose
 * statements take longer to plan than to run: `KeptPlans.test.ts`, and a tenth of `claims-10k`.
 */
export const keptIndexPlans = (sql: Sql): Statement.Fragment =>
  sql`set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)`

/*
 * The predicates of partial indexes. They are written so that no other statement has them by chance: only a statement that repeats
 * one may use its index. Without them the index is not used: `test/long/plans.test.ts`.
 */

/** True for every row. The predicate of the indexes of lists, on `created_at` of the table with this alias. */
export const isListed = (sql: Sql, alias: "a" | "b" | "c" | "d" | "e" | "n" | "q"): Statement.Fragment =>
  sql`${sql.literal(alias)}.created_at > '-infinity'`

/** Whether the call `c` is queued. The predicate of outdial_calls_expiry. */
export const isQueued = (sql: Sql): Statement.Fragment => sql`case when c.stage = 'queued' then true end`

/** Whether the call `c` is queued and no test. The predicate of outdial_calls_one_queued. */
export const holdsNumber = (sql: Sql): Statement.Fragment => sql`case when c.stage = 'queued' then not c.test end`

/** Whether the call `c` was dialed. The predicate of outdial_calls_dialed. */
export const wasDialed = (sql: Sql): Statement.Fragment => sql`case when c.dialed_at is not null then true end`
