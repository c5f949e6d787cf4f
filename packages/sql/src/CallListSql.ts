/** Lists of calls. */
import type { Ids, Storage } from "@outdial/core"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import * as CallRows from "./CallRows.ts"
import type { Database } from "./Database.ts"
import * as Paging from "./Paging.ts"

export const make = (database: Database): Pick<Storage.Storage["Service"], "listCalls"> => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "c" })

  const conditions = (filter: Storage.CallFilter): ReadonlyArray<Statement.Fragment> => [
    ...(filter.agentId === undefined ? [] : [sql`c.agent_id = ${filter.agentId}`]),
    ...(filter.batchId === undefined ? [] : [sql`c.batch_id = ${filter.batchId}`]),
    ...(filter.phoneNumber === undefined ? [] : [sql`c.phone_number = ${filter.phoneNumber}`]),
    ...(filter.externalId === undefined ? [] : [sql`c.external_id = ${CallRows.escaped(filter.externalId)}`]),
    // Written out, so that a planner sees that the index on tests serves.
    ...(filter.test === undefined ? [] : [filter.test ? sql`c.test` : sql`not c.test`])
  ]

  const list = (options: ListOptions) => {
    const { accountId, filter, page } = options
    const shared = [
      sql`c.account_id = ${accountId}`,
      ...(filter.batchId === undefined ? [paging.isList] : []),
      ...conditions(filter),
      ...paging.behind(page, filter)
    ]
    // Indexes: outdial_calls_newest, or the one on what is asked for: _status, _agent, _number, _external, _tests. The calls
    // of a batch are few and stand together, so that they are sorted from outdial_calls_batch, not picked out of the list.
    const first = (more: ReadonlyArray<Statement.Fragment>) =>
      sql`
        select c.*
        from outdial_calls as c
        where ${sql.and([...shared, ...more])}
        order by ${paging.order}
        limit ${paging.limit(page)}`
    if (filter.statuses === undefined) return sql<CallRows.CallRow>`${first([])}`.unprepared
    // Index: outdial_calls_status, once for each status, because it gives its order only within one.
    return sql<CallRows.CallRow>`
      select c.*
      from unnest(${[...new Set(filter.statuses)]}::text[]) as s (status)
      cross join lateral (${first([sql`c.status = s.status`])}) as c
      order by ${paging.order}
      limit ${paging.limit(page)}`.unprepared
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
