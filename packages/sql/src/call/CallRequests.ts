/**
 * Call requests: the part of a call that no state change touches, in a table of its own. A request is deleted and erased with
 * its call, under the call's lock.
 */
import type { Call, Ids } from "@outdial/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as CallRows from "./CallRows.ts"
import type { Database } from "../database/Database.ts"
import { notErased } from "../policy/ErasedCallees.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Terms = ReadonlyMap<Ids.CallId, Call.CallTerms>

/**
 * Joins to the account's call `c` its request, as `q`: with `c.*` a whole `CallRow`. Index: primary key, once for each call.
 */
export const join = (sql: SqlClient.SqlClient, accountId: Ids.AccountId): Statement.Fragment =>
  sql`
    cross join lateral (
      select r.agent_id, r.agent_version, r.batch_id, r.batch_index, r.contact, r.variables, r.metadata
      from outdial_call_requests as r
      where r.account_id = ${accountId}
        and r.id = c.id
      ${PlannerHints.oneRow(sql)}
    ) as q`

/**
 * Joins to the account's request `q` the state of its call, as `c`. Index: primary key, once for each. Reads only the
 * columns that say whether a call is over, and when it was dialed.
 */
export const joinCall = (sql: SqlClient.SqlClient, accountId: Ids.AccountId): Statement.Fragment =>
  sql`
    cross join lateral (
      select s.status, s.outcome_state, s.dialed_at
      from outdial_calls as s
      where s.account_id = ${accountId}
        and s.id = q.id
      ${PlannerHints.oneRow(sql)}
    ) as c`

/** These calls by id, without erased ones. */
export const callsOf = (sql: SqlClient.SqlClient, accountId: Ids.AccountId, ids: ReadonlyArray<Ids.CallId>) =>
  // Index: primary key. A plain read.
  Effect.map(
    sql<CallRows.CallRow>`
      select c.*, q.*
      from outdial_calls as c
      ${join(sql, accountId)}
      where c.account_id = ${accountId}
        and c.id = any(${ids}::text[])
        and ${notErased(sql, "c")}`,
    (rows) => new Map(rows.map((row) => [row.id, CallRows.toCall(row)]))
  )

export interface Requests extends ReturnType<typeof make> {}

export const make = ({ sql }: Database) => ({
  /** The requests of these calls. */
  of: (accountId: Ids.AccountId, ids: ReadonlyArray<Ids.CallId>) =>
    ids.length === 0 ? Effect.succeed<Terms>(new Map()) : Effect.map(
      // Index: primary key. A plain read: the call's lock covers its request.
      sql<CallRows.TermsRow & { readonly id: Ids.CallId }>`
        select r.id, r.agent_id, r.agent_version, r.batch_id, r.batch_index, r.contact, r.variables, r.metadata
        from outdial_call_requests as r
        where r.account_id = ${accountId}
          and r.id = ${PlannerHints.anyOf(sql, ids)}`,
      (rows): Terms => new Map(rows.map((row) => [row.id, CallRows.toTerms(row)]))
    )
})

/** Joins state and request. Every call is stored together with its request. */
export const whole = (state: Call.CallState, terms: Terms): Call.CallRecord => {
  const asked = terms.get(state.id)
  if (asked === undefined) throw new Error(`The call ${state.id} has no request`)
  return { ...state, ...asked }
}
