/** Faults of a data folder: missing or damaged files, a start that was killed, a full disk. */
import { assert, it } from "@effect/vitest"
import { Pglite } from "@outdial/sql"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, readFile, rm, statfs, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import * as PgliteTemplate from "../../../../test/support/PgliteTemplate.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-folder-"))),
  (dataDir) => Effect.promise(() => rm(dataDir, { recursive: true, force: true }))
)

const folderWithDatabase = Effect.tap(folder, (dataDir) => Effect.promise(() => PgliteTemplate.copyInto(dataDir)))

const inFolder = <A, E>(dataDir: string, run: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, run).pipe(Effect.provide(Pglite.layer({ dataDir }), { local: true }))

/** Ways in which a folder loses something essential. */
const damages: { readonly [name: string]: (postgres: string) => Promise<unknown> } = {
  "the version file is gone": (postgres) => rm(join(postgres, "PG_VERSION")),
  "it is another version's": (postgres) => writeFile(join(postgres, "PG_VERSION"), "12\n"),
  "the control file is torn": (postgres) => truncate(join(postgres, "global/pg_control"), 100),
  "the control file is zeros": (postgres) => writeFile(join(postgres, "global/pg_control"), new Uint8Array(8192)),
  "the log is gone": (postgres) => rm(join(postgres, "pg_wal"), { recursive: true }),
  "the log is torn": async (postgres) => {
    const [segment = ""] = (await readdir(join(postgres, "pg_wal"))).filter((name) => /^[0-9A-F]{24}$/.test(name))
    await truncate(join(postgres, "pg_wal", segment), 1000)
  },
  "the catalog is gone": (postgres) => rm(join(postgres, "base"), { recursive: true })
}

for (const [name, damage] of Object.entries(damages)) {
  it.live(`refuses a folder, and says what to do, when ${name}`, () =>
    Effect.gen(function*() {
      const dataDir = yield* folderWithDatabase
      yield* Effect.promise(() => damage(join(dataDir, "postgres")))
      const error = yield* Effect.flip(inFolder(dataDir, (sql) => sql`select 1`))
      assert.instanceOf(error, Pglite.DataFolderUnavailable)
      assert.strictEqual(error.reason, "damaged")
      assert.match(error.message, /restore it from a backup/)
    }), 120_000)
}

it.live("creates no new database over one whose version file is missing", () =>
  Effect.gen(function*() {
    const dataDir = yield* folderWithDatabase
    yield* inFolder(dataDir, (sql) => Effect.andThen(sql`create table t (id int)`, sql`insert into t values (7)`))
    const file = join(dataDir, "postgres/PG_VERSION")
    const version = yield* Effect.promise(() => readFile(file))
    yield* Effect.promise(() => rm(file))
    yield* Effect.flip(inFolder(dataDir, (sql) => sql`select 1`))
    yield* Effect.promise(() => writeFile(file, version))
    assert.deepStrictEqual(yield* inFolder(dataDir, (sql) => sql`select id from t`), [{ id: 7 }])
  }), 120_000)

/** Another process that writes to the folder, and its output. */
const writer = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const script = new URL("../fixtures/writeThroughFaults.ts", import.meta.url).pathname
      const child = spawn(execPath, ["--conditions=@outdial/source", script, dataDir], { stdio: "pipe" })
      let written = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => written += text)
      const told = () => written.split("\n").slice(0, -1)
      return {
        child,
        failures: () => told().filter((line) => line === "failed").length,
        committed: () => told().filter((line) => line !== "failed").map(Number)
      }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.sync(isSo), { until: (so) => so, schedule: Schedule.spaced("20 millis"), times: 2000 })

const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

it.live("starts again after a kill during the creation of the database", () =>
  Effect.gen(function*() {
    const dataDir = yield* folder
    const { child } = yield* writer(dataDir)
    yield* until(() => existsSync(join(dataDir, "postgres.new/base")))
    yield* kill(child)
    assert.isFalse(existsSync(join(dataDir, "postgres")))
    assert.lengthOf(yield* inFolder(dataDir, (sql) => sql`select 1`), 1)
  }), 120_000)

/** Megabytes of the small disk: an empty database and room for some of its log. */
const size = 160

/** A disk that can be filled, if this process may mount one. */
const smallDisk = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-disk-"))).pipe(
    Effect.tap((path) =>
      Effect.try(() =>
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}m`, "tmpfs", path], { stdio: "ignore" })
      )
    )
  ),
  (path) =>
    Effect.sync(() => execFileSync("umount", ["-l", path])).pipe(
      Effect.andThen(Effect.promise(() => rm(path, { recursive: true, force: true })))
    )
)

const leave = Effect.fnUntraced(function*(disk: string, megabytes: number) {
  const { bavail, bsize } = yield* Effect.promise(() => statfs(disk))
  const bytes = Math.max(0, bavail * bsize - megabytes * 1024 * 1024)
  // Concurrent writes may leave less.
  yield* Effect.ignore(Effect.tryPromise(() => writeFile(join(disk, "filler"), new Uint8Array(bytes))))
})

it.live(
  "fails clearly when a disk is nearly full, and goes on with everything when there is room",
  (context) =>
    Effect.gen(function*() {
      const disk = yield* smallDisk.pipe(
        Effect.catchTag("UnknownError", () => Effect.sync(() => context.skip("Nothing can be mounted here")))
      )
      const dataDir = join(disk, "data")
      yield* Effect.promise(() => PgliteTemplate.copyInto(dataDir))
      const { child, committed, failures } = yield* writer(dataDir)
      yield* until(() => committed().length >= 5)
      // Two megabytes more than what it refuses to write at.
      yield* leave(disk, 50)
      yield* until(() => failures() >= 3)
      assert.isAtLeast(failures(), 3)
      yield* Effect.promise(() => rm(join(disk, "filler")))
      const before = committed().length
      yield* until(() => committed().length >= before + 5)
      assert.isAtLeast(committed().length, before + 5)
      yield* kill(child)
      const rows = yield* inFolder(dataDir, (sql) => sql<{ readonly id: number }>`select id from kept order by id`)
      const kept = new Set(rows.map(({ id }) => id))
      assert.deepStrictEqual(committed().filter((id) => !kept.has(id)), [])
    }),
  120_000
)

// Without any space not even the folder's lock can be written.
for (const left of [10, 0]) {
  it.live(`does not start with ${left} MB left on a disk, and says so`, (context) =>
    Effect.gen(function*() {
      const disk = yield* smallDisk.pipe(
        Effect.catchTag("UnknownError", () => Effect.sync(() => context.skip("Nothing can be mounted here")))
      )
      yield* leave(disk, left)
      const error = yield* Effect.flip(inFolder(join(disk, "data"), (sql) => sql`select 1`))
      assert.instanceOf(error, Pglite.DataFolderUnavailable)
      assert.strictEqual(error.reason, "full")
    }))
}
