import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DataFolderLock from "../../src/connection/DataFolderLock.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-lock-"))),
  (dataDir) => Effect.promise(() => rm(dataDir, { recursive: true, force: true }))
)

const lockOf = (dataDir: string) => join(dataDir, "outdial.lock")

const opens = (dataDir: string) => Effect.scoped(DataFolderLock.acquire(dataDir))

const writeLock = (dataDir: string, text: string) => Effect.promise(() => writeFile(lockOf(dataDir), text))

/** The lock as this process writes it, changed. */
const writeLockWith = Effect.fnUntraced(function*(dataDir: string, changes: Readonly<Record<string, unknown>>) {
  const text = yield* Effect.scoped(Effect.andThen(
    DataFolderLock.acquire(dataDir),
    Effect.promise(() => readFile(lockOf(dataDir), "utf8"))
  ))
  yield* writeLock(dataDir, JSON.stringify({ ...JSON.parse(text), ...changes }))
})

// No system gives out a process number as high as this.
const noProcess = 2 ** 30

it.live("refuses a folder that is open, and opens it when it is closed", () =>
  Effect.gen(function*() {
    const dataDir = join(yield* folder, "new", "folder")
    const error = yield* Effect.scoped(Effect.andThen(DataFolderLock.acquire(dataDir), Effect.flip(opens(dataDir))))
    assert.strictEqual(error.reason, "in_use")
    assert.include(error.message, lockOf(dataDir))
    yield* opens(dataDir)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), [])
  }))

const gone: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "whose process is gone": { pid: noProcess },
  "whose process has the number of one that was started later": { started: "1" },
  "from before the machine was started": { boot: "another" }
}
for (const [whose, changes] of Object.entries(gone)) {
  it.live(`takes over a lock ${whose}`, () =>
    Effect.gen(function*() {
      const dataDir = yield* folder
      yield* writeLockWith(dataDir, changes)
      yield* opens(dataDir)
    }))
}

it.live("takes over a lock that cannot be read", () =>
  Effect.gen(function*() {
    const dataDir = yield* folder
    yield* writeLock(dataDir, "{")
    yield* opens(dataDir)
  }))

it.live("leaves the lock of another machine to its operator", () =>
  Effect.gen(function*() {
    const dataDir = yield* folder
    yield* writeLockWith(dataDir, { host: "elsewhere", pid: noProcess })
    const error = yield* Effect.flip(opens(dataDir))
    assert.deepStrictEqual(error.holder, { host: "elsewhere", pid: noProcess })
  }))

it.live("lets only one of many take over a stale lock", () =>
  Effect.gen(function*() {
    const dataDir = yield* folder
    yield* writeLockWith(dataDir, { pid: noProcess })
    const exits = yield* Effect.scoped(Effect.forEach(
      Array.from({ length: 20 }),
      () => Effect.exit(DataFolderLock.acquire(dataDir)),
      { concurrency: "unbounded" }
    ))
    assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
  }))

it.live("reports a folder that cannot be created as one that cannot be opened", () =>
  Effect.gen(function*() {
    const dataDir = join(yield* folder, "file")
    yield* Effect.promise(() => writeFile(dataDir, ""))
    assert.strictEqual((yield* Effect.flip(opens(dataDir))).reason, "unreadable")
  }))
