import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { root, run } from "../support/Consumer.ts"

/** What a release reads and writes. */
const files = [
  "package.json",
  "package-lock.json",
  ".changeset/config.json",
  "packages/core/src/domain/Version.ts",
  ...globSync("{packages,examples}/*/package.json", { cwd: root })
]

it.live("a release gives all packages one version, which the lock file knows", () =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-release-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    yield* Effect.promise(async () => {
      for (const file of files) {
        await mkdir(dirname(join(folder, file)), { recursive: true })
        await cp(join(root, file), join(folder, file))
      }
      await writeFile(join(folder, ".changeset", "a.md"), `---\n"@outdial/core": minor\n---\n\nRings more politely.\n`)
    })
    const read = (file: string) => readFileSync(join(folder, file), "utf8")
    const [major, minor = ""] = JSON.parse(read("packages/core/package.json")).version.split(".")
    const next = `${major}.${Number(minor) + 1}.0`
    yield* run("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: folder })
    yield* run(process.execPath, [join(root, "scripts", "version.ts")], { cwd: folder })

    const versions = globSync("packages/*/package.json", { cwd: folder }).map((file) => JSON.parse(read(file)).version)
    assert.deepStrictEqual(versions, versions.map(() => next))
    assert.include(read("packages/core/CHANGELOG.md"), "Rings more politely.")
    // npm refuses a lock file that does not fit.
    yield* run("npm", ["ci", "--dry-run", "--ignore-scripts", "--no-audit"], { cwd: folder })
    assert.include(read("packages/server/package.json"), `"@outdial/core": "${next}"`)
  }), 120_000)
