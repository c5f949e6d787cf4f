/** Lists of calls. */
import type { Call, Ids, Storage } from "@outdial/core"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import * as CallRows from "./CallRows.ts"
import type { Database } from "./Database.ts"
import { notErased } from "./ErasedCallees.ts"
import * as Paging from "./Paging.ts"
import * as RequestsSql from "./RequestsSql.ts"

export const make = (database: Database): Pick<Storage.Storage["Service"], "listCalls"> => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "c" })

  const asked = Paging.make(database, { alias: "q" })

  const conditions = (filter: Storage.CallFilter): ReadonlyArray<Statement.Fragment> => [
    ...(filter.agentId === undefined ? [] : [sql`q.agent_id = ${filter.agentId}`]),
    ...(filter.batchId === undefined ? [] : [sql`q.batch_id = ${filter.batchId}`]),
    ...(filter.phoneNumber === undefined ? [] : [sql`q.phone_number = ${filter.phoneNumber}`]),
    ...(filter.externalId === undefined ? [] : [sql`q.external_id = ${CallRows.escaped(filter.externalId)}`]),
    // Written out, so that a planner sees that the index on tests serves.
    ...(filter.test === undefined ? [] : [filter.test ? sql`q.test` : sql`not q.test`])
  ]

  /** By what was asked for: few calls are to one number, of one contact or of one batch, whatever has become of them. */
  const byRequest = ({ accountId, filter, page }: ListOptions) =>
    // Indexes: outdial_call_requests_newest, or the one on what is asked for: outdial_call_requests_agent,
    // outdial_call_requests_number, outdial_call_requests_external, outdial_call_requests_tests; then the primary key of the
    // calls. Those of a batch are few and stand together, so that they are sorted from outdial_call_requests_rows, not picked
    // out of the list.
    sql<CallRows.CallRow>`
      select c.*, q.agent_id, q.agent_version, q.batch_id, q.batch_index, q.contact, q.variables, q.metadata
      from outdial_call_requests as q
      cross join lateral (
        select c.*
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.id = q.id
        limit 1
      ) as c
      where ${
      sql.and([
        sql`q.account_id = ${accountId}`,
        notErased(sql, "q"),
        ...(filter.batchId === undefined ? [asked.isList] : []),
        ...conditions(filter),
        ...(filter.statuses === undefined ? [] : [sql`c.status = any(${[...filter.statuses]}::text[])`]),
        ...asked.behind(page, filter)
      ])
    }
      order by ${asked.order}
      limit ${asked.limit(page)}`.unprepared

  /** By what has become of them, of an agent or of all. */
  const byStatus = (
    { accountId, filter, page }: ListOptions,
    statuses: ReadonlyArray<Call.CallStatus>
  ) =>
    // Index: outdial_calls_status, once for each status, because it gives its order only within one; then the primary key of
    // the requests.
    sql<CallRows.CallRow>`
      select c.*
      from unnest(${[...new Set(statuses)]}::text[]) as s (status)
      cross join lateral (
        select c.*, q.*
        from outdial_calls as c
        ${RequestsSql.join(sql, accountId)}
        where ${
      sql.and([
        sql`c.account_id = ${accountId}`,
        sql`c.status = s.status`,
        notErased(sql, "c"),
        paging.isList,
        ...(filter.agentId === undefined ? [] : [sql`q.agent_id = ${filter.agentId}`]),
        ...(filter.test === undefined ? [] : [sql`c.test = ${filter.test}`]),
        ...paging.behind(page, filter)
      ])
    }
        order by ${paging.order}
        limit ${paging.limit(page)}
      ) as c
      order by ${paging.order}
      limit ${paging.limit(page)}`.unprepared

  const list = (options: ListOptions) => {
    const { batchId, externalId, phoneNumber, statuses } = options.filter
    const few = batchId !== undefined || externalId !== undefined || phoneNumber !== undefined
    return statuses === undefined || few ? byRequest(options) : byStatus(options, statuses)
  }

  return {
    listCalls: Effect.fn("Storage.listCalls")((options) =>
      statement(Effect.map(list(options), (rows) => Paging.toPage(rows, options.page, CallRows.toCall)))
    )
  }
}

interface ListOptions {
  readonly accountId: Ids.AccountId
  readonly filter: Storage.CallFilter
  readonly page: Parameters<Paging.Paging["limit"]>[0]
}
