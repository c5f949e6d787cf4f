import { assert, it } from "@effect/vitest"
import type { SteadyClock } from "@outdial/core"
import { Effect } from "effect"
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { stored } from "../../src/time/FolderClock.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-clock-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

const known: SteadyClock.Known = {
  time: 1_772_445_600_123_456_789n,
  uptime: { boot: "first", nanos: 987_654_321n },
  steppedAt: 1_772_445_000_000_000_000n,
  isSetBack: false
}

describe("what a folder knows of its clock", () => {
  it.live("is what was stored last, in a file for the owner only", () =>
    Effect.gen(function*() {
      const dataDir = yield* folder
      const { keep } = yield* stored(dataDir)
      yield* keep({ ...known, isSetBack: true })
      yield* keep(known)
      assert.deepStrictEqual((yield* stored(dataDir)).known, known)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), ["clock.json"])
      const { mode } = yield* Effect.promise(() => stat(join(dataDir, "clock.json")))
      assert.strictEqual(mode & 0o777, 0o600)
    }))

  it.live("is unknown without a file or with a damaged one, so calls are replanned", () =>
    Effect.gen(function*() {
      const dataDir = yield* folder
      const nothing = { time: 0n, uptime: { boot: "", nanos: 0n }, isSetBack: true }
      assert.deepStrictEqual((yield* stored(dataDir)).known, nothing)
      yield* Effect.promise(() => writeFile(join(dataDir, "clock.json"), "{\"time\":"))
      assert.deepStrictEqual((yield* stored(dataDir)).known, nothing)
    }))
})
