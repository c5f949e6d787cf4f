/**
 * Tools that stand apart from the workspaces, each folder with a lock file of its own, so that the first `npm start` does not
 * wait for them. Installs a folder when it is missing or older than its lock file.
 *
 *     node scripts/tools.ts release @changesets/cli/bin.js …
 */
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const root = resolve(import.meta.dirname, "..")

const names = ["release", "runtimes", "typescript"] as const

/** The folder's `node_modules`, complete. */
export const installed = (name: (typeof names)[number]): string => {
  const folder = join(root, "scripts/tools", name)
  const modules = join(folder, "node_modules")
  const mark = join(modules, ".package-lock.json")
  if (existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs) return modules
  const { status } = spawnSync("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32"
  })
  if (status !== 0) throw new Error(`What scripts/tools/${name} names could not be installed`)
  return modules
}

/** A module of the release tools, which are no dependency of the repository. */
export const tool = async (specifier: string) =>
  import(pathToFileURL(createRequire(join(installed("release"), "from")).resolve(specifier)).href)

if (import.meta.main) {
  const [given, program = "", ...args] = process.argv.slice(2)
  const name = names.find((name) => name === given)
  if (name === undefined) throw new Error(`scripts/tools/${given} is not there`)
  const { status } = spawnSync(process.execPath, [join(installed(name), program), ...args], {
    stdio: "inherit",
    cwd: root
  })
  process.exit(status ?? 1)
}
