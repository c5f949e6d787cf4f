/** The accounts `account_id` with batches in which a call has just ended, so that the batch may be complete, and since when. */
import type { SqlClient, Statement } from "effect/sql"

export const batches = (sql: SqlClient.SqlClient): Statement.Fragment =>
  // No index: the table has only batches with calls that have just ended.
  sql`
    select b.account_id, min(b.ended_at) as due_at
    from outdial_batch_ends as b
    group by b.account_id`
