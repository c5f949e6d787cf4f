import { assert, it } from "@effect/vitest"
import { Pglite } from "@outdial/sql"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import { createInterface } from "node:readline"
import * as PgliteTemplate from "../../../../test/support/PgliteTemplate.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-pglite-"))),
  (dataDir) => Effect.promise(() => rm(dataDir, { recursive: true, force: true }))
)

const folderWithDatabase = Effect.tap(folder, (dataDir) => Effect.promise(() => PgliteTemplate.copyInto(dataDir)))

/** Runs with the folder open, and closes it. */
const inFolder = <A, E>(dataDir: string, run: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, run).pipe(Effect.provide(Pglite.layer({ dataDir }), { local: true }))

it.live(
  "keeps what was written when the folder is opened again, and leaves no lock behind",
  () =>
    Effect.gen(function*() {
      const dataDir = yield* folderWithDatabase
      yield* inFolder(dataDir, (sql) => Effect.andThen(sql`create table t (id int)`, sql`insert into t values (7)`))
      assert.deepStrictEqual(yield* inFolder(dataDir, (sql) => sql`select id from t`), [{ id: 7 }])
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), ["postgres"])
    }),
  120_000
)

it.live("refuses a folder that is open", () =>
  Effect.gen(function*() {
    const dataDir = yield* folderWithDatabase
    const opens = inFolder(dataDir, (sql) => sql`select 1`)
    const error = yield* inFolder(dataDir, () => Effect.flip(opens))
    assert.instanceOf(error, Pglite.DataFolderUnavailable)
    assert.strictEqual(error.reason, "in_use")
  }), 120_000)

it.live("opens again after a kill, with everything that was committed", () =>
  Effect.gen(function*() {
    const dataDir = yield* folderWithDatabase
    const told = yield* Effect.promise(() => killAfter(dataDir, 50))
    const rows = yield* inFolder(dataDir, (sql) => sql<{ readonly id: number }>`select id from kept order by id`)
    assert.isAtLeast(rows.length, told)
    assert.deepStrictEqual(rows.map(({ id }) => id), rows.map((_, index) => index + 1))
  }), 120_000)

it.live("does not keep the process busy after the system clock was set back by 40 days", () =>
  Effect.gen(function*() {
    const warnings = yield* warningsOfProcess
    const dataDir = yield* folderWithDatabase
    const setBack = yield* systemClockAhead(40 * 86_400_000)
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      // From here on Postgres has a timer set for 10 seconds later.
      yield* sql`create table t (id int)`
      yield* setBack
      // When the timer of a statement fires, the other one is set again, for what is now 40 days later.
      yield* sql`set statement_timeout = '20ms'`
      yield* sql`insert into t values (7)`
      yield* Effect.sleep("200 millis")
      assert.deepStrictEqual(warnings, [])
      assert.deepStrictEqual(yield* sql`select id from t`, [{ id: 7 }])
    }).pipe(Effect.provide(Pglite.layer({ dataDir })))
  }), 120_000)

/** The names of the warnings of this process since then. */
const warningsOfProcess = Effect.gen(function*() {
  const names: Array<string> = []
  const hear = ({ name }: Error) => void names.push(name)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("warning", hear)),
    () => Effect.sync(() => process.off("warning", hear))
  )
  return names
})

/** Sets the system clock of this process forward; resolves with the effect that sets it right. */
const systemClockAhead = (millis: number) =>
  Effect.gen(function*() {
    const now = Date.now
    const setBack = Effect.sync(() => Date.now = now)
    yield* Effect.acquireRelease(Effect.sync(() => Date.now = () => now() + millis), () => setBack)
    return setBack
  })

/** Lets another process write until it has printed `count` rows, and kills it; returns how many it printed. */
const killAfter = (dataDir: string, count: number) =>
  new Promise<number>((resolve, reject) => {
    const script = new URL("../fixtures/writeUntilKilled.ts", import.meta.url).pathname
    const child = spawn(execPath, ["--conditions=@outdial/source", script, dataDir], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let told = 0
    createInterface(child.stdout).on("line", (line) => {
      told = Number(line)
      if (told === count) child.kill("SIGKILL")
    })
    child.once("error", reject)
    child.once("exit", () => told >= count ? resolve(told) : reject(new Error(`It ended after ${told} rows`)))
  })
