/** Lists of calls. */
import { Call, type Ids, type Storage } from "@outdial/core"
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
    // Indexes: the one on what is asked for, outdial_call_requests_agent, outdial_call_requests_number,
    // outdial_call_requests_external or outdial_call_requests_tests; then the primary key of the calls. Those of a batch are
    // few and stand together, so that they are sorted from outdial_call_requests_rows, not picked out of the list.
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

  /** By what has become of them, of an agent or of all: from each stage a page, and of those the newest. */
  const byStatus = (options: ListOptions, statuses: ReadonlyArray<Call.CallStatus>) => {
    const { accountId, filter, page } = options
    const wanted = sql.and([
      notErased(sql, "c"),
      paging.isList,
      ...(filter.agentId === undefined
        ? []
        : [inTimesOf(options, filter.agentId), isOfAgent(accountId, filter.agentId)]),
      ...(filter.test === undefined ? [] : [sql`c.test = ${filter.test}`]),
      ...paging.behind(page, filter)
    ])
    // Indexes: outdial_calls_stage, once for each stage, because it gives its order only within one; outdial_calls_lines for
    // what is live, which is few; then the primary key of the requests. For an agent's also both ends of
    // outdial_call_requests_agent.
    return sql<CallRows.CallRow>`
      select c.*, q.*
      from (
        select c.*
        from unnest(${[...new Set(statuses.flatMap(stagesOf))]}::text[]) as s (stage)
        cross join lateral (
          select c.*
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.stage = s.stage
            and c.stage <> 'live'
            and ${wanted}
          order by ${paging.order}
          limit ${paging.limit(page)}
        ) as c
        union all
        select c.*
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'live'
          and c.status = any(${[...statuses]}::text[])
          and ${wanted}
        order by created_at desc, id desc
        limit ${paging.limit(page)}
      ) as c
      ${RequestsSql.join(sql, accountId)}
      order by ${paging.order}`.unprepared
  }

  /** Between the first and the last of the agent's calls: calls of others are looked through only where there are such. */
  const inTimesOf = ({ accountId, filter, page }: ListOptions, agentId: Ids.AgentId) => {
    const end = (order: Statement.Fragment) =>
      sql`(
        select q.created_at
        from outdial_call_requests as q
        where ${
        sql.and([
          sql`q.account_id = ${accountId}`,
          sql`q.agent_id = ${agentId}`,
          asked.isList,
          ...asked.behind(page, filter)
        ])
      }
        order by ${order}
        limit 1
      )`
    return sql`c.created_at between ${end(sql`q.created_at, q.id`)} and ${end(asked.order)}`
  }

  const isOfAgent = (accountId: Ids.AccountId, agentId: Ids.AgentId) =>
    // Primary key, once for each call, as in `RequestsSql.join`.
    sql`(
      select q.agent_id = ${agentId}
      from outdial_call_requests as q
      where q.account_id = ${accountId}
        and q.id = c.id
      limit 1
    )`

  const list = (options: ListOptions) => {
    const { agentId, batchId, externalId, phoneNumber, statuses, test } = options.filter
    const few = batchId !== undefined || externalId !== undefined || phoneNumber !== undefined
    const isAsked = few || (statuses === undefined && (agentId !== undefined || test === true))
    return isAsked ? byRequest(options) : byStatus(options, statuses ?? Call.CallStatus.literals)
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

/** The stages, as outdial_calls has them, that a call of this status may be in. */
const stagesOf = (status: Call.CallStatus): ReadonlyArray<string> => {
  if (Call.usesLine(status)) return []
  return status === "completed" ? ["completed", "forgotten"] : [status]
}
