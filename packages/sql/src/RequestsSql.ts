/** What was asked for with a call: the part of it that never changes, and stands in a table of its own. */
import type { Call, Ids } from "@outdial/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as CallRows from "./CallRows.ts"
import type { Database } from "./Database.ts"

type Terms = ReadonlyMap<Ids.CallId, Call.CallTerms>

/**
 * Joins to the account's call `c` what was asked for, as `q`: with `c.*` a whole `CallRow`. Index: primary key, once for each call; the
 * limit keeps a planner without good statistics from reading all requests instead.
 */
export const join = (sql: SqlClient.SqlClient, accountId: Ids.AccountId): Statement.Fragment =>
  sql`
    cross join lateral (
      select r.agent_id, r.agent_version, r.batch_id, r.batch_index, r.contact, r.variables, r.metadata
      from outdial_call_requests as r
      where r.account_id = ${accountId}
        and r.id = c.id
      limit 1
    ) as q`

export interface Requests extends ReturnType<typeof make> {}

export const make = ({ sql }: Database) => ({
  /** What was asked for with these calls. */
  of: (accountId: Ids.AccountId, ids: ReadonlyArray<Ids.CallId>) =>
    ids.length === 0 ? Effect.succeed<Terms>(new Map()) : Effect.map(
      // Index: primary key. A plain read: it never changes.
      sql<CallRows.TermsRow & { readonly id: Ids.CallId }>`
        select r.id, r.agent_id, r.agent_version, r.batch_id, r.batch_index, r.contact, r.variables, r.metadata
        from outdial_call_requests as r
        where r.account_id = ${accountId}
          and r.id = any(${ids}::text[])`,
      (rows): Terms => new Map(rows.map((row) => [row.id, CallRows.toTerms(row)]))
    )
})

/** The whole call. A call is stored together with its request. */
export const whole = (state: Call.CallState, terms: Terms): Call.CallRecord => {
  const asked = terms.get(state.id)
  if (asked === undefined) throw new Error(`There is no request of ${state.id}`)
  return { ...state, ...asked }
}
