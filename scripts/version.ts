/**
 * Gives all packages their next version by the changesets that wait, writes their changelogs, and notes the version in the
 * lock file. Works on the folder that it is started in.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { installed } from "./tools.ts"

interface Manifest {
  version?: string
  dependencies?: Record<string, string>
}

const changeset = join(installed("release"), "@changesets", "cli", "bin.js")
const { status } = spawnSync(process.execPath, [changeset, "version"], { stdio: "inherit" })
if (status !== 0) process.exit(status ?? 1)

// Not by npm, which leaves out the packages of other platforms where a registry lacks them.
const lock: { packages: Record<string, Manifest> } = JSON.parse(readFileSync("package-lock.json", "utf8"))
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!/^(packages|examples)\//.test(path)) continue
  const { dependencies, version }: Manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
  if (version !== undefined) entry.version = version
  for (const [name, range] of Object.entries(dependencies ?? {})) {
    if (name.startsWith("@outdial/") && entry.dependencies !== undefined) entry.dependencies[name] = range
  }
}
// What the engine says of itself, in a constant that every bundler takes.
const core: Manifest = JSON.parse(readFileSync("packages/core/package.json", "utf8"))
const stated = "packages/core/src/domain/Version.ts"
writeFileSync(stated, readFileSync(stated, "utf8").replace(/(?<=version = ")[^"]+/, core.version ?? ""))

writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`)
