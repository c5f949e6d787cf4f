import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Outdial, OutdialError, SimulatedTelephony } from "@outdial/core"
import { embedded, Postgres, postgres, postgresOn } from "@outdial/sql"
import { Context, Effect, Layer, Redacted, Result, String as Text } from "effect"
import { SqlClient } from "effect/sql"
import { database } from "../support/postgres.ts"

const secretKey = "dGVzdCBrZXksIG5vdCBmb3IgcHJvZHVjdGlvbiAhISE="
const agents = [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]

const telephony = SimulatedTelephony.layer({ speed: 1000 })

const open = (options: Outdial.Options) =>
  Effect.acquireRelease(
    Effect.promise(() => Outdial.open({ agents, secretKey, policy: { callingHours: null }, ...options })),
    (engine) => Effect.promise(() => engine.close())
  )

const start = (
  engine: Pick<Outdial.Outdial, "agents"> & { readonly calls: Pick<Outdial.Outdial["calls"], "start"> },
  phoneNumber: string
) =>
  Effect.promise(async () => {
    const [agent] = await engine.agents.list()
    return engine.calls.start({ agentId: agent?.id ?? "", phoneNumber })
  })

const completed = (engine: Outdial.Outdial, id: string) =>
  Effect.promise(() => engine.calls.get(id)).pipe(
    Effect.delay("20 millis"),
    Effect.repeat({ until: ({ outcome }) => outcome !== null }),
    Effect.timeout("100 seconds")
  )

const refusesTransactions = (engine: Outdial.Outdial) =>
  Effect.promise(async () => {
    const client = { query: () => Promise.reject(new Error("not asked")) }
    const error = await engine.within(client).calls.get("call_none").catch((error: unknown) => error)
    assert.isTrue(OutdialError.is(error, "transactions_unsupported"), String(error))
  })

describe("the database of a host without Effect", () => {
  it.live("keeps engines in schemas of their own, beside the host's tables", () =>
    Effect.gen(function*() {
      const url = yield* database
      const layer = Postgres.layer({ url: Redacted.make(url) })
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table visits (id int)`).pipe(Effect.provide(layer))
      const schemas = ["clinics", `Odd "name", with $1`]
      // Both at once, and each twice: who makes a schema, and who migrates it, is settled between them.
      const engines = yield* Effect.all(
        [...schemas, ...schemas].map((schema) => open({ ...postgres({ url, schema }), telephony })),
        { concurrency: "unbounded" }
      )
      const [clinics, odd, clinicsToo] = engines as [Outdial.Outdial, Outdial.Outdial, Outdial.Outdial]
      const { id } = yield* start(clinics, "+14155550100")
      assert.strictEqual(clinics.accountId, clinicsToo.accountId)
      assert.lengthOf(yield* Effect.promise(() => clinics.agents.list()), 1)
      yield* completed(clinicsToo, id)
      assert.lengthOf((yield* Effect.promise(() => odd.calls.list())).items, 0)
      const tables = yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql<{ readonly schema: string; readonly strange: number }>`
          select schemaname as schema, count(*) filter (where tablename not like 'outdial\\_%')::int as strange
          from pg_tables
          where schemaname not in ('pg_catalog', 'information_schema')
          group by schemaname`
      ).pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        new Map(tables.map(({ schema, strange }) => [schema, strange])),
        new Map([["clinics", 0], [schemas[1] ?? "", 0], ["public", 1]])
      )
    }), 120_000)

  it.live("wakes the processes that share it", () =>
    Effect.gen(function*() {
      const url = yield* database
      const accepting = yield* open({ ...postgres({ url }), workers: false })
      yield* open({ ...postgres({ url }), telephony })
      const { id } = yield* start(accepting, "+14155550100")
      yield* completed(accepting, id)
    }), 120_000)

  it.live.each([1, 2])("needs no more than a connection or two: %d", (maxConnections) =>
    Effect.gen(function*() {
      const engine = yield* open({ ...postgres({ url: yield* database, maxConnections }), telephony })
      const { id } = yield* start(engine, "+14155550100")
      yield* completed(engine, id)
    }), 120_000)

  it.live("may be reached over the host's own client, which stays open", () =>
    Effect.gen(function*() {
      const url = yield* database
      // A host's may rename columns, and have few connections.
      const own = yield* Layer.build(PgClient.layer({
        url: Redacted.make(url),
        maxConnections: 3,
        applicationName: "the host's",
        transformQueryNames: Text.camelToSnake,
        transformResultNames: Text.snakeToCamel
      }))
      const engine = yield* open({ ...postgresOn(Layer.succeedContext(own)), telephony })
      const { id } = yield* start(engine, "+14155550100")
      yield* completed(engine, id)
      const sql = Context.get(own, SqlClient.SqlClient)
      const inTransaction = yield* sql.withTransaction(Effect.gen(function*() {
        const context = yield* Effect.context<never>()
        const query = (text: string, values: Array<string>) => Effect.runPromiseWith(context)(sql.unsafe(text, values))
        const { id } = yield* start({ ...engine.within({ query }), agents: engine.agents }, "+14155550101")
        return id
      }))
      yield* completed(engine, inTransaction)
      yield* Effect.promise(() => engine.close())
      const [clients] = yield* sql`
        select array_agg(distinct application_name) as names
        from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend'`
      assert.deepStrictEqual(clients, { names: ["the host's"] })
    }), 120_000)

  it("refuses an address that cannot be read without showing its password", () => {
    for (const url of ["", "postgres://app:SECRET/x@db:5432/app", "postgres://app:SECRET@db:99999/app"]) {
      assert.throws(() => postgres({ url }), /^url must be postgres:\/\/user:password@host/, url)
      assert.notMatch(String(Result.getFailure(Result.try(() => postgres({ url })))), /SECRET/)
    }
  })

  it.live.each([
    { is: "away", address: () => "postgres://app:SECRET@127.0.0.1:1/outdial" },
    { is: "closed to who asks", address: (url: string) => url.replace("//postgres", "//nobody") },
    { is: "not there", address: (url: string) => url.replace(/[^/]+$/, "elsewhere") }
  ])("says of a database that it is $is", ({ address }) =>
    Effect.gen(function*() {
      const url = address(yield* database)
      const error = yield* Effect.promise(() =>
        Outdial.open({ agents, secretKey, telephony, ...postgres({ url }) }).then(() => undefined, (error: unknown) =>
          error)
      )
      assert.isTrue(OutdialError.is(error, "database_unavailable"), String(error))
      assert.match(String(error), /The database cannot be used \(.+\)\. Is Postgres running, and is its address/)
      assert.notMatch(String(error), /SECRET/)
    }), 120_000)

  it.live("embedded, needs no server", () =>
    Effect.gen(function*() {
      const engine = yield* open({ ...embedded(), speed: 1000 })
      const { id } = yield* start(engine, "+14155550100")
      assert.strictEqual((yield* completed(engine, id)).outcome?.disposition, "yes")
      yield* refusesTransactions(engine)
    }), 120_000)

  it.live("none, joins no transaction of the host's", () => Effect.flatMap(open({}), refusesTransactions))
})
