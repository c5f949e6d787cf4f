/** Lists of calls. */
import { Call, type Ids, type Storage } from "@outdial/core"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import * as CallRows from "./CallRows.ts"
import type { Database } from "../database/Database.ts"
import { notErased } from "../policy/ErasedCallees.ts"
import * as Paging from "../database/Paging.ts"
import * as CallRequests from "./CallRequests.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

export const make = (database: Database): Pick<Storage.CallStore["Service"], "list"> => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "c" })

  const asked = Paging.make(database, { alias: "q" })

  const conditions = (filter: Storage.CallFilter): ReadonlyArray<Statement.Fragment> => [
    ...(filter.agentId === undefined ? [] : [sql`q.agent_id = ${filter.agentId}`]),
    ...(filter.batchId === undefined ? [] : [sql`q.batch_id = ${filter.batchId}`]),
    ...(filter.phoneNumber === undefined ? [] : [sql`q.phone_number = ${filter.phoneNumber}`]),
    ...(filter.externalId === undefined ? [] : [sql`q.external_id = ${CallRows.escaped(filter.externalId)}`]),
    // Literal, so that the planner recognizes the index on tests.
    ...(filter.test === undefined ? [] : [filter.test ? sql`q.test` : sql`not q.test`])
  ]

  /** By properties of the request: few calls have one number, one contact or one batch, whatever their status. */
  const byRequest = ({ accountId, filter, page }: ListOptions) =>
    // Indexes: the one on the property, outdial_call_requests_agent, outdial_call_requests_number,
    // outdial_call_requests_external or outdial_call_requests_tests; then the primary key of the calls. Those of a batch are
    // few and adjacent, so that they are sorted from outdial_call_requests_rows, not filtered from the list.
    PlannerHints.plannedEachTime(sql<CallRows.CallRow>`
      select c.*, q.agent_id, q.agent_version, q.batch_id, q.batch_index, q.contact, q.variables, q.metadata
      from outdial_call_requests as q
      cross join lateral (
        select c.*
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.id = q.id
        ${PlannerHints.oneRow(sql)}
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
      limit ${asked.limit(page)}`)

  /** Whether the request matches the filter. For few calls: primary key, once for each. */
  const isFitting = ({ accountId, filter }: ListOptions) =>
    sql`(
      select ${sql.and([sql`true`, ...conditions(filter)])}
      from outdial_call_requests as q
      where q.account_id = ${accountId}
        and q.id = c.id
      ${PlannerHints.oneRow(sql)}
    )`

  /** Live calls, which are few. Index: outdial_calls_lines. */
  const live = (
    { accountId, filter, page }: ListOptions,
    statuses: ReadonlyArray<Call.CallStatus>,
    more: ReadonlyArray<Statement.Fragment>
  ) =>
    sql`
        select c.*
        from outdial_calls as c
        where ${
      sql.and([
        sql`c.account_id = ${accountId}`,
        sql`c.stage = 'live'`,
        sql`c.status = any(${[...statuses]}::text[])`,
        notErased(sql, "c"),
        paging.isList,
        ...paging.behind(page, filter),
        ...more
      ])
    }`

  /** By status: reads a page of each stage, and returns the newest of those calls. */
  const byStatus = (options: ListOptions, statuses: ReadonlyArray<Call.CallStatus>) => {
    const { accountId, filter, page } = options
    const ofTest = filter.test === undefined ? [] : [sql`c.test = ${filter.test}`]
    // Indexes: outdial_calls_stage, once for each stage, because it is ordered only within a stage; outdial_calls_lines for
    // live calls; then the primary key of the requests.
    return PlannerHints.plannedEachTime(sql<CallRows.CallRow>`
      select c.*, q.*
      from (
        select c.*
        from unnest(${stagesOf(statuses)}::text[]) as s (stage)
        cross join lateral (
          select c.*
          from outdial_calls as c
          where ${
      sql.and([
        sql`c.account_id = ${accountId}`,
        sql`c.stage = s.stage`,
        sql`c.stage <> 'live'`,
        notErased(sql, "c"),
        paging.isList,
        ...ofTest,
        ...paging.behind(page, filter)
      ])
    }
          order by ${paging.order}
          limit ${paging.limit(page)}
        ) as c
        union all ${live(options, statuses, ofTest)}
        order by created_at desc, id desc
        limit ${paging.limit(page)}
      ) as c
      ${CallRequests.join(sql, accountId)}
      order by ${paging.order}`)
  }

  /**
   * By status and by the request: merges two lists in one order, each read from the other's position. It takes no more steps
   * than the shorter list has calls, and hardly more than the page if the lists have many calls in common.
   */
  const byBoth = (options: ListOptions, statuses: ReadonlyArray<Call.CallStatus>) => {
    const { accountId, filter, page } = options
    // Indexes: outdial_call_requests_agent or outdial_call_requests_tests, and outdial_calls_stage for each stage, once for each
    // step; outdial_calls_lines for live calls; then primary keys. No id continues another id with a blank, so the rows before
    // `id || ' '` are those up to and including the id.
    return PlannerHints.plannedEachTime(sql<CallRows.CallRow>`
      with recursive steps as (
        select 'infinity'::timestamptz as created_at, '' collate "C" as before_id, null::text collate "C" as found, 0 as count
        union all
        select s.created_at, case when is_both then s.id else s.id || ' ' end, case when is_found then s.id end,
          n.count + case when is_found then 1 else 0 end
        from steps as n
        cross join lateral (
          select q.created_at, q.id
          from outdial_call_requests as q
          where ${
      sql.and([
        sql`q.account_id = ${accountId}`,
        asked.isList,
        sql`(q.created_at, q.id) < (n.created_at, n.before_id)`,
        ...conditions(filter),
        ...asked.behind(page, filter)
      ])
    }
          order by ${asked.order}
          limit 1
        ) as q
        cross join lateral (
          select c.created_at, c.id, c.phone_number
          from unnest(${stagesOf(statuses)}::text[]) as s (stage)
          cross join lateral (
            select c.created_at, c.id, c.phone_number
            from outdial_calls as c
            where ${
      sql.and([
        sql`c.account_id = ${accountId}`,
        sql`c.stage = s.stage`,
        sql`c.stage <> 'live'`,
        paging.isList,
        sql`(c.created_at, c.id) < (q.created_at, q.id || ' ')`,
        ...paging.behind(page, filter)
      ])
    }
            order by ${paging.order}
            limit 1
          ) as c
          order by ${paging.order}
          limit 1
        ) as s
        cross join lateral (select s.id = q.id as is_both, s.id = q.id and starts_with(s.phone_number, '+') as is_found) as i
        where n.count < ${paging.limit(page)}
      )
      select c.*, q.*
      from (
        select c.*
        from steps as n
        cross join lateral (
          select c.*
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.id = n.found
          ${PlannerHints.oneRow(sql)}
        ) as c
        union all ${live(options, statuses, [isFitting(options)])}
        order by created_at desc, id desc
        limit ${paging.limit(page)}
      ) as c
      ${CallRequests.join(sql, accountId)}
      order by ${paging.order}`)
  }

  const list = (options: ListOptions) => {
    const { agentId, batchId, externalId, phoneNumber, statuses, test } = options.filter
    const areFew = batchId !== undefined || externalId !== undefined || phoneNumber !== undefined
    const isListed = agentId !== undefined || test === true
    if (areFew || (isListed && statuses === undefined)) return byRequest(options)
    return isListed && statuses !== undefined
      ? byBoth(options, statuses)
      : byStatus(options, statuses ?? Call.CallStatus.literals)
  }

  return {
    list: Effect.fn("CallStore.list")((options) =>
      statement(Effect.map(list(options), (rows) => Paging.toPage(rows, options.page, CallRows.toCall)))
    )
  }
}

interface ListOptions {
  readonly accountId: Ids.AccountId
  readonly filter: Storage.CallFilter
  readonly page: Parameters<Paging.Paging["limit"]>[0]
}

/** The stages, as in outdial_calls, of calls in these statuses; none for live statuses. */
const stagesOf = (statuses: ReadonlyArray<Call.CallStatus>): ReadonlyArray<string> =>
  [...new Set(statuses)].flatMap((status) => {
    if (Call.usesLine(status)) return []
    return status === "completed" ? ["completed", "forgotten"] : [status]
  })
