/** What was asked for with a call: the part of its row that never changes, and stands in a table of its own. */
import type { SqlClient, Statement } from "effect/sql"

/**
 * Joins to the call `c` what was asked for, as `q`: with `c.*` a whole `CallRow`. Index: primary key, once for each call; the
 * limit keeps a planner without good statistics from reading all requests instead.
 */
export const join = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`
    cross join lateral (
      select r.agent_id, r.agent_version, r.batch_id, r.batch_index, r.contact, r.variables, r.metadata
      from outdial_call_requests as r
      where r.account_id = c.account_id
        and r.id = c.id
      limit 1
    ) as q`
