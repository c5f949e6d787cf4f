/**
 * A set of values whose size the planner does not see. If it sees the size, the generic plan looks more expensive than the plan for a
 * single call, so every statement is planned again, which takes longer than running it.
 */
import type { SqlClient, Statement } from "effect/sql"

/** For the right side of `=`. The statement is planned once per connection, unless another parameter reveals its values. */
export const anyOf = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>): Statement.Fragment =>
  sql`any(array(select unnest(${values}::text[])))`
