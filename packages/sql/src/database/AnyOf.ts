/**
 * A set of values that a plan knows nothing of. Of a set that is given as it is Postgres counts the values: the plan for any set seems
 * dearer than the one for a single call, which is made anew for every call then, and that takes longer than running it.
 */
import type { SqlClient, Statement } from "effect/sql"

/** For the right side of `=`. A statement with it is planned once on each connection, as long as nothing else tells its values apart. */
export const anyOf = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>): Statement.Fragment =>
  sql`any(array(select unnest(${values}::text[])))`
