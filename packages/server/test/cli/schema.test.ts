/** Which schema a command works on, and that none but those that make tables make any. */
import { assert, it } from "@effect/vitest"
import { Outdial, SimulatedTelephony } from "@outdial/core"
import { Postgres, postgres } from "@outdial/sql"
import { Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import * as TestPostgres from "../../../../test/support/postgres.ts"
import * as CommandLine from "./CommandLine.ts"

const timeout = 120_000

/** How many tables of Outdial each schema of the database has. */
const tables = (databaseUrl: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly schema: string; readonly count: number }>`
      select schemaname as schema, count(*)::int as count
      from pg_tables
      where tablename like 'outdial\\_%'
      group by schemaname`
    return Object.fromEntries(rows.map(({ count, schema }) => [schema, count > 20]))
  }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(databaseUrl) }), { local: true }))

const commands = [
  ["pause", "--all"],
  ["resume", "--all"],
  ["accounts", "create", "Clinic"],
  ["accounts", "list"],
  ["keys", "list"],
  ["explain", "call_1"],
  ["do-not-call", "list"],
  ["usage", "--from", "2026-03-01", "--to", "2026-03-02"]
]

describe("a command", () => {
  it.live("makes no tables, and names the schemas that have them", () =>
    Effect.gen(function*() {
      const databaseUrl = yield* TestPostgres.database
      const embedded = { DATABASE_URL: databaseUrl, OUTDIAL_SCHEMA: "calls" }
      const inSchema = yield* CommandLine.inEnvironment(embedded)
      assert.match((yield* inSchema.run("migrate")).stdout, /^The schema calls is up to date$/m)

      const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl })
      for (const command of commands) {
        const { code, stderr, stdout } = yield* run(...command)
        assert.deepStrictEqual([code, stdout], [1, ""], command.join(" "))
        assert.include(
          stderr,
          "outdial: The schema public has no tables of Outdial. The schema calls has: set OUTDIAL_SCHEMA=calls"
        )
      }
      assert.deepStrictEqual(yield* tables(databaseUrl), { calls: true })
    }), timeout)

  it.live("works on the schema that OUTDIAL_SCHEMA names", () =>
    Effect.gen(function*() {
      const databaseUrl = yield* TestPostgres.database
      const one = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl, OUTDIAL_SCHEMA: "My Calls" })
      const other = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl, OUTDIAL_SCHEMA: "other" })
      for (const { run } of [one, other]) assert.strictEqual((yield* run("migrate")).code, 0)
      yield* one.run("accounts", "create", "Clinic")
      yield* one.run("pause", "--all")
      assert.deepInclude(yield* one.json("pause", "--all"), { all_paused: true, accounts: 1 })
      assert.deepStrictEqual(yield* other.json("accounts", "list"), [])
      assert.match((yield* other.run("resume")).stderr, /no account yet/)
    }), timeout)

  it.live("stops the engine of a host that has its tables in a schema, and names it", () =>
    Effect.gen(function*() {
      const url = yield* TestPostgres.database
      const engine = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Outdial.open({
            ...postgres({ url, schema: "calls" }),
            secretKey: Buffer.alloc(32).toString("base64"),
            telephony: SimulatedTelephony.layer(),
            workerName: "reminders"
          })
        ),
        (engine) => Effect.promise(() => engine.close())
      )
      yield* Effect.repeat(Effect.promise(() => engine.workers.list()), {
        until: (workers) => workers.length > 0,
        schedule: Schedule.spaced("20 millis"),
        times: 500
      })
      const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: url, OUTDIAL_SCHEMA: "calls" })
      const { code, stdout } = yield* run("pause", "--all")
      assert.strictEqual(code, 0)
      assert.match(stdout, /^Reached 1 account and 1 live worker: reminders \(/m)
      assert.isTrue(yield* Effect.promise(() => engine.allPaused()))
      assert.match((yield* run("doctor")).stdout, /^ok +workers +One worker is alive: reminders/m)
    }), timeout)

  it.live("names the schema that was asked for, also when it does not exist", () =>
    Effect.gen(function*() {
      const databaseUrl = yield* TestPostgres.database
      const environment = { DATABASE_URL: databaseUrl, OUTDIAL_SCHEMA: "calling" }
      assert.strictEqual((yield* (yield* CommandLine.inEnvironment(environment)).run("migrate")).code, 0)
      const { run } = yield* CommandLine.inEnvironment({ ...environment, OUTDIAL_SCHEMA: "callin" })
      const { code, stderr } = yield* run("pause", "--all")
      assert.strictEqual(code, 1)
      assert.include(
        stderr,
        "outdial: The schema callin has no tables of Outdial. The schema calling has: set OUTDIAL_SCHEMA=calling"
      )
    }), timeout)

  it.live("asks for the right database where there are no tables at all", () =>
    Effect.gen(function*() {
      const databaseUrl = yield* TestPostgres.database
      const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl, OUTDIAL_SCHEMA: "missing" })
      const { code, stderr } = yield* run("pause", "--all")
      assert.strictEqual(code, 1)
      assert.match(stderr, /has no tables of Outdial\. Is it the right one .*run outdial migrate/)
      assert.deepStrictEqual(yield* tables(databaseUrl), {})
    }), timeout)

  it.live("refuses tables of an earlier version, and leaves them as they are", () =>
    Effect.gen(function*() {
      const databaseUrl = yield* TestPostgres.database
      const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl })
      yield* run("migrate")
      const earlier = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from outdial_migrations where migration_id > 1`
      })
      yield* Effect.provide(earlier, Postgres.layer({ url: Redacted.make(databaseUrl) }), { local: true })
      const { code, stderr } = yield* run("pause", "--all")
      assert.strictEqual(code, 1)
      assert.match(stderr, /The schema public has tables of an earlier version: run outdial migrate/)
    }), timeout)

  it.live("makes no folder and no database in one", () =>
    Effect.gen(function*() {
      const data = join(yield* CommandLine.folder, "later")
      const { run } = yield* CommandLine.inEnvironment({ OUTDIAL_DATA: data })
      const { code, stderr } = yield* run("pause", "--all")
      assert.strictEqual(code, 1)
      assert.include(stderr, `The folder ${data} has no tables of Outdial`)
      assert.isFalse(existsSync(data))
    }), timeout)

  it.live("refuses a schema where there is no Postgres", () =>
    Effect.gen(function*() {
      const { run } = yield* CommandLine.inEnvironment({ OUTDIAL_DATA: "data", OUTDIAL_SCHEMA: "calls" })
      assert.match((yield* run("accounts", "list")).stderr, /OUTDIAL_SCHEMA.*set DATABASE_URL, too/)
    }))
})

describe("outdial doctor", () => {
  it.live("names the schemas that have tables, and changes nothing", () =>
    Effect.gen(function*() {
      const databaseUrl = yield* TestPostgres.database
      const inSchema = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl, OUTDIAL_SCHEMA: "calls" })
      yield* inSchema.run("migrate")
      const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl })
      assert.match((yield* run("doctor")).stdout, /^failed +schema +public has no tables of Outdial\. .*: calls\./m)
      assert.match((yield* inSchema.run("doctor")).stdout, /^warning +workers +No worker is alive/m)
      assert.deepStrictEqual(yield* tables(databaseUrl), { calls: true })
    }), timeout)
})
