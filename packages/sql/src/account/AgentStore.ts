/** Agents and their versions. A version never changes; the agent's row says which is the latest. */
import { type Agent, type Call, type Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect, Equal, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as Rows from "../database/Rows.ts"

export const make = (database: Database): Storage.AgentStore["Service"] => {
  const { sql, statement, transaction } = database

  return {
    put: Effect.fn("AgentStore.put")(({ accountId, agent: { id, ...definition }, now }) =>
      transaction(Effect.gen(function*() {
        const at = DateTime.toDateUtc(now)
        // Index: primary key. Version 0 stands for an agent that has none yet.
        yield* sql`
          insert into outdial_agents (account_id, id, version, created_at)
          values (${accountId}, ${id}, 0, ${at})
          on conflict do nothing`
        // Index: primary key. The lock lets one writer at a time number the next version.
        yield* sql`
          select a.id
          from outdial_agents as a
          where a.account_id = ${accountId}
            and a.id = ${id}
          for no key update`
        const current = Option.getOrUndefined(yield* latest(database, accountId, id))
        const isSame = current !== undefined && Equal.equals(Rows.toDefinition(current), definition)
        if (isSame && current.archivedAt === undefined) return current
        const version = isSame ? current.version : (current?.version ?? 0) + 1
        if (!isSame) {
          yield* sql`
            insert into outdial_agent_versions (account_id, agent_id, version, definition, updated_at)
            values (${accountId}, ${id}, ${version}, ${JSON.stringify(definition)}::json, ${at})`
        }
        // Index: primary key. The row is locked.
        yield* sql`
          update outdial_agents
          set version = ${version}, archived_at = null
          where account_id = ${accountId}
            and id = ${id}`
        const updatedAt = isSame ? current.updatedAt : now
        return { ...definition, id, version, createdAt: current?.createdAt ?? now, updatedAt }
      }))
    ),

    archive: Effect.fn("AgentStore.archive")(({ accountId, id, now }) =>
      transaction(Effect.gen(function*() {
        // Index: primary key.
        yield* sql`
          update outdial_agents
          set archived_at = ${DateTime.toDateUtc(now)}
          where account_id = ${accountId}
            and id = ${id}
            and archived_at is null`
        return yield* latest(database, accountId, id)
      }))
    ),

    get: Effect.fn("AgentStore.get")((accountId, id) => statement(latest(database, accountId, id))),

    list: Effect.fn("AgentStore.list")((accountId) =>
      // Index: primary keys; an account has few agents. A plain read.
      statement(Effect.map(
        sql<Rows.AgentRow>`
          select a.id, a.version, a.created_at, a.archived_at, v.definition, v.updated_at
          from outdial_agents as a
          join outdial_agent_versions as v
            on v.account_id = a.account_id and v.agent_id = a.id and v.version = a.version
          where a.account_id = ${accountId}
            and a.archived_at is null
          order by a.created_at desc, a.id desc`,
        (rows) => rows.map(Rows.toAgent)
      ))
    ),

    versions: Effect.fn("AgentStore.versions")((accountId, id) =>
      // Index: primary key, backwards. The definitions stay on the server.
      statement(Effect.map(
        sql<{ readonly version: number; readonly name: string; readonly updated_at: Date }>`
          select v.version, v.definition ->> 'name' as name, v.updated_at
          from outdial_agent_versions as v
          where v.account_id = ${accountId}
            and v.agent_id = ${id}
          order by v.version desc
          limit ${Limits.agentVersions}`,
        (rows) =>
          rows.map(({ name, updated_at, version }) => ({
            name,
            version,
            createdAt: DateTime.fromDateUnsafe(updated_at)
          }))
      ))
    ),

    version: Effect.fn("AgentStore.version")((accountId, id, version) =>
      // Index: primary keys.
      statement(Effect.map(
        sql<Rows.AgentRow>`
          select a.id, v.version, a.created_at, null as archived_at, v.definition, v.updated_at
          from outdial_agents as a
          join outdial_agent_versions as v on v.account_id = a.account_id and v.agent_id = a.id and v.version = ${version}
          where a.account_id = ${accountId}
            and a.id = ${id}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toAgent)
      ))
    )
  }
}

/** The latest versions of these agents. Unknown ids are left out. */
export const latestOf = ({ sql }: Database, accountId: Ids.AccountId, ids: ReadonlyArray<Ids.AgentId>) =>
  // Index: primary keys. A plain read: a version that is created concurrently applies to the next call.
  Effect.map(
    sql<Rows.AgentRow>`
      select a.id, a.version, a.created_at, a.archived_at, v.definition, v.updated_at
      from outdial_agents as a
      join outdial_agent_versions as v
        on v.account_id = a.account_id and v.agent_id = a.id and v.version = a.version
      where a.account_id = ${accountId}
        and a.id = any(${ids}::text[])`,
    (rows) => new Map(rows.map((row) => [row.id, Rows.toAgent(row)]))
  )

/** The agent in its latest version. */
export const latest = (database: Database, accountId: Ids.AccountId, id: Ids.AgentId) =>
  Effect.map(latestOf(database, accountId, [id]), (agents) => Option.fromUndefinedOr(agents.get(id)))

/** Maximum number of versions cached in memory: about as many as a node uses at a time. */
const cachedVersions = 200

/**
 * Gives calls the agent versions that they were accepted with. Versions are cached in memory: they never change, and a version
 * that a committed call names cannot be rolled back. So use this only for calls that are read outside of hosts' transactions.
 */
export const versions = ({ sql }: Database) => {
  const known = new Map<string, Agent.Agent>()

  const cache = (accountId: Ids.AccountId, agent: Agent.Agent) => {
    known.set(keyOf(accountId, agent.id, agent.version), agent)
    const [oldest] = known.keys()
    if (known.size > cachedVersions && oldest !== undefined) known.delete(oldest)
  }

  const read = (
    accountId: Ids.AccountId,
    wanted: ReadonlyArray<{ readonly id: Ids.AgentId; readonly version: number }>
  ) =>
    // Index: primary keys. A plain read suffices: versions never change.
    Effect.map(
      sql<Rows.AgentRow>`
        select a.id, v.version, a.created_at, null as archived_at, v.definition, v.updated_at
        from json_to_recordset(${JSON.stringify(wanted)}::json) as r (id text, version int)
        join outdial_agents as a on a.account_id = ${accountId} and a.id = r.id
        join outdial_agent_versions as v on v.account_id = ${accountId} and v.agent_id = r.id and v.version = r.version`,
      (rows) => rows.map(Rows.toAgent)
    )

  /** The calls, each with its agent. */
  return Effect.fnUntraced(function*(accountId: Ids.AccountId, calls: ReadonlyArray<Call.CallRecord>) {
    const agents = new Map<string, Agent.Agent>()
    const wanted = new Map<string, { readonly id: Ids.AgentId; readonly version: number }>()
    for (const { agentId: id, agentVersion: version } of calls) {
      const key = keyOf(accountId, id, version)
      const agent = known.get(key)
      if (agent === undefined) wanted.set(key, { id, version })
      else agents.set(key, agent)
    }
    for (const agent of wanted.size === 0 ? [] : yield* read(accountId, [...wanted.values()])) {
      agents.set(keyOf(accountId, agent.id, agent.version), agent)
      cache(accountId, agent)
    }
    return yield* Effect.forEach(calls, (call) => {
      const agent = agents.get(keyOf(accountId, call.agentId, call.agentVersion))
      return agent === undefined
        ? Effect.die(new Error(`Agent ${call.agentId} has no version ${call.agentVersion}`))
        : Effect.succeed({ call, agent })
    })
  })
}

const keyOf = (accountId: Ids.AccountId, id: Ids.AgentId, version: number) => `${accountId} ${id} ${version}`
