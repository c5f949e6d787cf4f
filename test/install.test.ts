/** What npm runs after an installation. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"
import { promisify } from "node:util"

const run = promisify(execFile)

const script = resolve(import.meta.dirname, "..", "scripts", "prepare.mjs")

/** A copy of the script in a repository that has installed these files. */
const prepared = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-install-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  yield* Effect.promise(async () => {
    await mkdir(join(folder, "scripts"))
    await copyFile(script, join(folder, "scripts", "prepare.mjs"))
    for (const [file, content] of Object.entries(files)) {
      const path = join(folder, file)
      await mkdir(join(path, ".."), { recursive: true })
      await writeFile(path, content)
    }
  })
  const { stderr } = yield* Effect.promise(() =>
    run(process.execPath, ["scripts/prepare.mjs"], { cwd: folder, timeout: 50_000 })
  )
  return { folder, stderr }
})

it.live(
  "an installation without development dependencies succeeds, and says what it leaves out",
  () =>
    Effect.gen(function*() {
      // Vite is a part of Vitest, too, and needs the rest of what builds the page.
      const { stderr } = yield* prepared({ "node_modules/vite/bin/vite.js": "process.exit(1)" })
      assert.match(stderr, /compiler is not patched/)
      assert.match(stderr, /page of the console is not built/)
    }),
  60_000
)

it.live(
  "an installation with them patches the compiler and builds the page of the console",
  () =>
    Effect.gen(function*() {
      const tool = (name: string) =>
        `require("node:fs").appendFileSync("log", "${name} " + process.argv.slice(2).join(" ") + "\\n")`
      const { folder, stderr } = yield* prepared({
        "node_modules/@effect/tsgo/dist/effect-tsgo.cjs": tool("effect-tsgo"),
        "node_modules/@vitejs/plugin-react/package.json": "{}",
        "node_modules/vite/bin/vite.js": tool("vite")
      })
      const log = yield* Effect.promise(() => readFile(join(folder, "log"), "utf8"))
      assert.deepStrictEqual(log.trim().split("\n"), [
        "effect-tsgo patch",
        "vite build packages/console/app --logLevel warn"
      ])
      assert.strictEqual(stderr, "")
    }),
  60_000
)
