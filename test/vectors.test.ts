import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe } from "vitest"

const root = resolve(import.meta.dirname, "..")

const vectors = (...files: ReadonlyArray<string>) => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--conditions=@outdial/source", "scripts/vectors.ts", ...files],
    { cwd: root, encoding: "utf8" }
  )
  return { status, stdout }
}

/** A file that is gone after the test. */
const file = (text: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "outdial-vectors-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const path = join(folder, "vectors.json")
      writeFileSync(path, text)
      return path
    }
  )

describe("npm run vectors", () => {
  it("exits with 0 when every vector holds", () => {
    const { status, stdout } = vectors("test/vectors/phone.json")
    assert.strictEqual(status, 0)
    assert.match(stdout, /85 passed, 0 failed/)
  })

  it.effect("exits with 1 and names the vector that does not hold", () =>
    Effect.gen(function*() {
      const wrong = readFileSync(join(root, "test/vectors/phone.json"), "utf8")
        .replaceAll("\"e164\": \"+14155552671\"", "\"e164\": \"+14155552672\"")
      const { status, stdout } = vectors("test/vectors/phone.json", yield* file(wrong))
      assert.strictEqual(status, 1)
      assert.match(stdout, /phone-001 .*expected \+14155552672, got \+14155552671/)
    }))

  it.effect("exits with 2 when a file is missing, or is no file of vectors, or none is named", () =>
    Effect.gen(function*() {
      assert.strictEqual(vectors("no-such-file.json").status, 2)
      assert.strictEqual(vectors(yield* file("{}")).status, 2)
      assert.strictEqual(vectors().status, 2)
    }))
})
