/** Who can enter a data folder: only its owner, however it was created, and whatever its mode was. */
import { assert, it } from "@effect/vitest"
import { Pglite } from "@outdial/sql"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getuid } from "node:process"
import * as PgliteTemplate from "../../../../test/support/PgliteTemplate.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-access-"))),
  (dataDir) => Effect.promise(() => rm(dataDir, { recursive: true, force: true }))
)

/** Opens the database in the folder, runs a statement and closes it; returns the warnings. */
const use = Effect.fnUntraced(function*(dataDir: string) {
  const warnings: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") warnings.push(String(message))
  })
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table if not exists kept (id int)`).pipe(
    Effect.provide(Pglite.layer({ dataDir }), { local: true }),
    Effect.provide(Logger.layer([logger]))
  )
  return warnings
})

/** What others could enter, read or write in the folder, by its path; the folder itself is "". */
const openToOthers = Effect.fnUntraced(function*(dataDir: string) {
  const paths = ["", ...yield* Effect.promise(() => readdir(dataDir, { recursive: true }))]
  assert.isAbove(paths.length, 500)
  const modes = yield* Effect.forEach(paths, (path) => Effect.promise(() => lstat(join(dataDir, path))))
  return paths.filter((_, index) => ((modes[index]?.mode ?? 0) & 0o077) !== 0)
})

const modeOf = (path: string) => Effect.promise(() => stat(path).then(({ mode }) => (mode & 0o777).toString(8)))

it.live("creates a folder, missing parents and every file for the owner only", () =>
  Effect.gen(function*() {
    const parent = yield* folder
    const dataDir = join(parent, "made", "data")
    assert.deepStrictEqual(yield* use(dataDir), [])
    assert.deepStrictEqual(yield* openToOthers(dataDir), [])
    assert.strictEqual(yield* modeOf(join(parent, "made")), "700")
  }), 120_000)

it.live(
  "closes a folder that is open to others, with everything in it, and says so once",
  () =>
    Effect.gen(function*() {
      const dataDir = yield* folder
      // As PGlite leaves it.
      yield* Effect.promise(() => PgliteTemplate.copyInto(dataDir))
      yield* Effect.promise(() => chmod(join(dataDir, "postgres/pg_hba.conf"), 0o666))
      yield* Effect.promise(() => chmod(dataDir, 0o755))
      const [warning = "", ...more] = yield* use(dataDir)
      assert.deepStrictEqual(more, [])
      assert.include(warning, `${dataDir} was open to other users (mode 0755)`)
      assert.deepStrictEqual(yield* openToOthers(dataDir), [])
      assert.deepStrictEqual(yield* use(dataDir), [])
    }),
  120_000
)

it.live("reports whether a folder is open to others, without changing it", () =>
  Effect.gen(function*() {
    const dataDir = yield* folder
    assert.isFalse(yield* Pglite.isOpenToOthers(dataDir))
    yield* Effect.promise(() => chmod(dataDir, 0o710))
    assert.isTrue(yield* Pglite.isOpenToOthers(dataDir))
    assert.strictEqual(yield* modeOf(dataDir), "710")
  }))

for (const [what, path] of [["folder", "."], ["file in it", "postgres/postgresql.conf"]] as const) {
  it.live(`refuses a folder when the ${what} belongs to another user`, (context) =>
    Effect.gen(function*() {
      if (getuid?.() !== 0) return context.skip("Only root can give a file away")
      const dataDir = yield* folder
      yield* Effect.promise(() => PgliteTemplate.copyInto(dataDir))
      yield* Effect.promise(() => chown(join(dataDir, path), 12_345, 12_345))
      const error = yield* Effect.flip(use(dataDir))
      assert.instanceOf(error, Pglite.DataFolderUnavailable)
      assert.strictEqual(error.reason, "not_owned")
      assert.match(error.message, /belongs to user 12345, and this process runs as user 0.*chown/)
    }), 120_000)
}

it.live("does not change links in the folder", () =>
  Effect.gen(function*() {
    const [dataDir, elsewhere] = [yield* folder, yield* folder]
    yield* Effect.promise(() => chmod(elsewhere, 0o755))
    yield* Effect.promise(() => PgliteTemplate.copyInto(dataDir))
    yield* Effect.promise(async () => {
      await mkdir(join(elsewhere, "target"), { mode: 0o755 })
      await symlink(join(elsewhere, "target"), join(dataDir, "postgres", "link"))
    })
    yield* use(dataDir)
    assert.strictEqual(yield* modeOf(join(elsewhere, "target")), "755")
  }), 120_000)
