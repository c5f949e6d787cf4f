import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { RecordingSpool } from "@outdial/core"
import { Effect, Stream } from "effect"
import { FileRecordings } from "../../src/index.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "recordings-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("the spool of a folder of recordings", () => {
  it.live("gives back what was appended, from a file without a name", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      yield* Effect.scoped(Effect.gen(function*() {
        const [one, other] = [yield* RecordingSpool.RecordingSpool, yield* RecordingSpool.RecordingSpool]
        const files = [yield* one.open, yield* other.open]
        const pieces = Array.from({ length: 20 }, (_, index) => new Uint8Array(30_000).fill(index))
        for (const piece of pieces) {
          for (const file of files) yield* file.append(piece)
        }
        assert.deepStrictEqual(readdirSync(join(directory, ".spool")), [], "a process that is killed leaves nothing")
        assert.strictEqual(statSync(join(directory, ".spool")).mode & 0o777, 0o700)
        for (const file of files) {
          const read = Buffer.concat(yield* Stream.runCollect(file.bytes))
          assert.isTrue(read.equals(Buffer.concat(pieces)))
        }
      })).pipe(Effect.provide(FileRecordings.layer({ directory })))
    }))

  it.live("makes no folder before a call is recorded", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      yield* Effect.provide(RecordingSpool.RecordingSpool, FileRecordings.layer({ directory }))
      assert.isFalse(existsSync(join(directory, ".spool")))
    }))
})
