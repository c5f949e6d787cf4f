// What an installation prepares, by what it has installed: the Effect diagnostics of the compiler, and the page of the console. Without
// development dependencies it has neither tool, and what the packages contain is used as it is.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const installed = (...path) => join(root, "node_modules", ...path)

/** Runs the script with its tools, or says what is left out. */
const run = ({ args, missing, script, tools = [] }) => {
  if (![script, ...tools].every((path) => existsSync(path))) {
    process.stderr.write(`${missing}\n`)
    return
  }
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

run({
  script: installed("@effect", "tsgo", "dist", "effect-tsgo.cjs"),
  args: ["patch"],
  missing: "Without development dependencies the compiler is not patched."
})
run({
  script: installed("vite", "bin", "vite.js"),
  // Vite alone may be there, as a part of Vitest.
  tools: [installed("@vitejs", "plugin-react")],
  args: ["build", join("packages", "console", "app"), "--logLevel", "warn"],
  missing:
    "Without development dependencies the page of the console is not built; its server says so where the page would be."
})
