/** The fixture of every benchmark: its own database, nodes on it, and accounts without restrictions. */
import { ApiKeys, Batches, Ids, Limits, Storage, Webhooks } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Context, DateTime, Effect, Layer, Redacted, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import * as BenchPostgres from "./BenchPostgres.ts"
import * as ChildProcess from "./ChildProcess.ts"
import * as Load from "./Load.ts"
import type { Request } from "./node.ts"
import type { NodeProfile } from "./NodeProfile.ts"
import * as Profiling from "./Profiling.ts"
import * as Stack from "./Stack.ts"

/** A new database; dropped with the scope. */
export const database = Effect.fnUntraced(function*(name: string) {
  const { urlOf } = yield* BenchPostgres.BenchPostgres
  const everywhere = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(BenchPostgres.client(urlOf("postgres")))
    )
  yield* Effect.acquireRelease(
    Effect.andThen(everywhere(`drop database if exists ${name} with (force)`), everywhere(`create database ${name}`)),
    () => Effect.ignore(everywhere(`drop database ${name} with (force)`))
  )
  return { name, url: urlOf(name) }
})

/** A new database with Outdial's schema, the engine's services on it, and a client to inspect it. */
export const make = Effect.fnUntraced(
  function*(name: string, options: Pick<Stack.Options, "transport"> = {}) {
    const { url } = yield* database(name)
    const services = yield* Layer.build(
      Layer.merge(Stack.layer({ ...options, url }), BenchPostgres.client(url))
    )
    const sql = Context.get(services, SqlClient.SqlClient)
    /** Whether calls wait, live, or have an outcome or a delivery to come. */
    const isLeft = Effect.map(
      sql<{ readonly left: boolean }>`
        select exists (select 1 from outdial_calls where stage = 'queued')
          or exists (select 1 from outdial_calls where stage = 'live')
          or exists (select 1 from outdial_pending_outcomes)
          or exists (select 1 from outdial_deliveries where state in ('pending', 'sending')) as left`,
      ([row]) => row?.left === true
    )
    return { name, url, services, storage: Context.get(services, Storage.Storage), sql, isLeft }
  }
)
export type Fixture = Effect.Success<ReturnType<typeof make>>

export interface Account {
  readonly accountId: Ids.AccountId
  readonly agentId: Ids.AgentId
}

/** Accounts with an agent each, and with an endpoint if an address is given. */
export const accounts = Effect.fnUntraced(
  function*(
    { services, storage }: Fixture,
    count: number,
    options: {
      readonly lines?: number
      readonly webhook?: string
      readonly maxDurationSeconds?: number
      readonly silenceSeconds?: number
    } = {}
  ) {
    const now = yield* DateTime.now
    return yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function*() {
        const accountId = Factories.accountId()
        yield* storage.accounts.put({
          id: accountId,
          name: "Bench",
          lines: options.lines ?? 1_000_000,
          paused: false,
          policy: Factories.openPolicy,
          createdAt: now
        })
        const definition = Factories.agentDefinition({
          questions: ["Will you come?"],
          dispositions: ["yes", "no"],
          ...Struct.pick(options, ["maxDurationSeconds", "silenceSeconds"])
        })
        const { id: agentId } = yield* storage.agents.put({ accountId, agent: definition, now })
        if (options.webhook !== undefined) {
          yield* Context.get(services, Webhooks.Webhooks).set(accountId, { url: options.webhook })
        }
        return { accountId, agentId } satisfies Account
      }))
  }
)

/** Keys of an account: enough for so many requests in a minute, and one for each connection. */
export const keys = Effect.fnUntraced(function*(
  { services }: Fixture,
  { accountId }: Account,
  { inFlight, requests }: { readonly inFlight: number; readonly requests: number }
) {
  const apiKeys = Context.get(services, ApiKeys.ApiKeys)
  const count = Math.max(inFlight, Math.ceil(requests / Limits.requestsPerMinute))
  return yield* Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.map(
        apiKeys.create(accountId, { name: "Bench", scopes: ["calls:write"] }),
        ({ secret }) => Redacted.value(secret)
      )
  )
})

/** Queues calls, in batches of a thousand, for the accounts in turn. */
export const accept = Effect.fnUntraced(
  function*({ services }: Fixture, accounts: ReadonlyArray<Account>, count: number) {
    const batches = Context.get(services, Batches.Batches)
    const sizes = Array.from({ length: Math.ceil(count / 1000) }, (_, index) => Math.min(1000, count - index * 1000))
    yield* Effect.forEach(sizes, (size, index) => {
      const { accountId, agentId } = accounts[index % accounts.length] ?? accounts[0] ?? noAccount()
      return batches.start(accountId, { agentId, calls: Array.from({ length: size }, Load.row) })
    }, { concurrency: 4, discard: true })
  }
)

const noAccount = (): never => {
  throw new Error("A benchmark needs an account")
}

/** A node on the database, in a process of its own. */
export const node = Effect.fnUntraced(function*({ url }: Fixture) {
  const { ask } = yield* ChildProcess.start(join(import.meta.dirname, "node.ts"), [url])
  const node = (request: Request) => ask(request)
  yield* Profiling.watch({
    begin: node({ task: "watch" }),
    end: Effect.map(node({ task: "profile" }), (profile) => profile as NodeProfile)
  })
  return node
})
