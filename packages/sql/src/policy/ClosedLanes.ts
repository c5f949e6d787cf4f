/** The rows of closed lanes after their plan was replaced. */
import type { Ids, Lane } from "@outdial/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"

const deleteEmpty = (sql: SqlClient.SqlClient, accountId: Ids.AccountId, condition: Statement.Fragment) =>
  // Indexes: primary key; outdial_calls_due, one step for each lane.
  sql`
    delete from outdial_closed_lanes as k
    where k.account_id = ${accountId}
      and ${condition}
      and (
        select c.id
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'queued'
          and c.lane = k.lane
        order by c.priority, c.due_at
        limit 1
      ) is null`

/** Opens all lanes of the account, as a new plan has others. Their periods stay for the calls that have not been replanned. */
export const open = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, accountId: Ids.AccountId) {
  yield* deleteEmpty(sql, accountId, sql`true`)
  // Index: primary key. Past on every clock.
  yield* sql`
    update outdial_closed_lanes
    set until = 'epoch'
    where account_id = ${accountId}`
})

/** Deletes those of these lanes that have no queued calls. */
export const deleteUnused = (
  sql: SqlClient.SqlClient,
  accountId: Ids.AccountId,
  lanes: ReadonlyArray<Lane.Lane>
) => deleteEmpty(sql, accountId, sql`k.lane = any(${lanes}::text[])`)
