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
  yield* sql`update outdial_deployment set paused = false, time_zones = null, time_zones_at = null`
})

/** The accounts as every run finds them. */
export const open = Effect.fnUntraced(function*(storage: Port, { accounts }: Knowledge) {
  yield* storage.adoptTimeZones({ version: "a", now: Factories.start, isStarting: true })
  for (const { agents, id } of accounts) {
    yield* storage.putAccount({
      id,
      name: "Model",
      lines: 3,
      paused: false,
      policy: Factories.openPolicy,
      createdAt: Factories.start
    })
    const agent = Factories.agentDefinition({ id: agents[0] ?? Factories.agentId() })
    yield* storage.putAgent({ accountId: id, agent, now: Factories.start })
  }
})
