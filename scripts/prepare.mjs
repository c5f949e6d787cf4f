// What an installation prepares, by what it has installed: the Effect diagnostics of the compiler, and the page of the console. Without
// development dependencies it has neither tool, and what the packages contain is used as it is.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const run = (script, args, missing) => {
  if (!existsSync(script)) {
    process.stderr.write(`${missing}\n`)
    return
  }
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

const installed = (...path) => join(root, "node_modules", ...path)

run(
  installed("@effect", "tsgo", "dist", "effect-tsgo.cjs"),
  ["patch"],
  "Without development dependencies the compiler is not patched."
)
run(
  installed("vite", "bin", "vite.js"),
  ["build", join("packages", "console", "app"), "--logLevel", "warn"],
  "Without vite, a development dependency, the page of the console is not built; its server says so where the page would be."
)
