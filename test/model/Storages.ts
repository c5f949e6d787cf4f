/** The storages of the model: memory afresh, and SQL emptied, so that a run knows of none before it. */
import { MemoryStorage, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Knowledge, Port } from "./Knowledge.ts"

/** A storage in memory with nothing in it. */
export const memory = Effect.map(
  Effect.scoped(Layer.build(MemoryStorage.layer)),
  (context) => Context.get(context, Storage.Storage)
)

/** Empties the database of everything but its schema. */
export const empty = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly tablename: string }>`
    select tablename
    from pg_tables
    where schemaname = 'public' and tablename like 'outdial\_%'
      and tablename not in ('outdial_migrations', 'outdial_deployment')`
  yield* sql.unsafe(`truncate ${tables.map(({ tablename }) => tablename).join(", ")}`)
  yield* sql`update outdial_deployment set paused = false, time_zone_version = null, time_zone_adopted_at = null`
})

/** The accounts as every run finds them. */
export const open = Effect.fnUntraced(function*(storage: Port, { accounts }: Knowledge) {
  yield* storage.dispatch.adoptPlanData({ version: "a", now: Factories.start, isStarting: true })
  for (const { agents, id } of accounts) {
    yield* storage.accounts.put({
      id,
      name: "Model",
      lines: 3,
      paused: false,
      policy: Factories.openPolicy,
      createdAt: Factories.start
    })
    const agent = Factories.agentDefinition({ id: agents[0] ?? Factories.agentId() })
    yield* storage.agents.put({ accountId: id, agent, now: Factories.start })
  }
})

/** What stands in two places has to stand in both: rows that belong to nothing, and calls that lack theirs. */
export const halves = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select 'outcome' as half, coalesce(c.id, p.call_id) as id
    from (select * from outdial_calls where outcome_state = 'pending') as c
    full join outdial_pending_outcomes as p
      on p.account_id = c.account_id and p.call_id = c.id and p.due_at = c.outcome_due_at
    where c.id is null or p.call_id is null
    union all
    select 'request', coalesce(c.id, q.id)
    from outdial_calls as c
    full join outdial_call_requests as q
      on q.account_id = c.account_id and q.id = c.id and q.created_at = c.created_at and q.test = c.test
        and q.phone_number = c.phone_number
    where c.id is null or q.id is null
    union all
    select 'log', e.call_id
    from outdial_conversation_entries as e
    left join outdial_calls as c on c.account_id = e.account_id and c.id = e.call_id
    left join outdial_conversations as o on o.account_id = e.account_id and o.call_id = e.call_id
    where c.conversation is distinct from 'open'
      or (c.stage <> 'live' and c.outcome_state <> 'pending')
      or o.generation is null or o.generation = 0 or e.chunk * 8 + json_array_length(e.entries) > o.entry_count
    union all
    select 'delivery', d.id
    from outdial_deliveries as d
    left join outdial_events as e on e.account_id = d.account_id and e.id = d.event_id
    where e.id is null`
})
