/**
 * The command line in one file, for tests that run it as a process: loading its thousand modules takes a process 1.6 seconds of CPU
 * time, this file 0.4. It is made of the sources, and made again when they have changed.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, readdirSync, statSync } from "node:fs"
import { copyFile, mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises"
import { join, resolve } from "node:path"
// Comes with Vitest.
import { rolldown } from "rolldown"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly serverBundle: string
  }
}

const root = resolve(import.meta.dirname, "../..")
/** Below `node_modules`, from where the packages outside of the file are found. */
const cache = join(root, "node_modules/.cache/outdial/server")

/** How many to keep, for runs that another run overtakes. */
const kept = 3

/** Changes with the sources. */
const version = () => {
  const hash = createHash("sha256")
  for (const file of ["package-lock.json", ...globSync("packages/*/src/**/*.ts", { cwd: root }).toSorted()]) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest("hex").slice(0, 16)
}

const make = async (folder: string) => {
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(join(cache, "making-"))
  const bundle = await rolldown({
    input: join(root, "packages/server/src/main.ts"),
    platform: "node",
    // PGlite reads files beside its modules.
    external: [/^@electric-sql\/pglite/u, /^@ai-sdk\//u, "pg-native"],
    resolve: { conditionNames: ["@outdial/source", "node", "import", "default"] }
  })
  // As deep below the package.json as in the package, which reads its version from there.
  await bundle.write({ dir: join(making, "dist/serve"), format: "esm" })
  await bundle.close()
  await copyFile(join(root, "packages/server/package.json"), join(making, "package.json"))
  // The console's page, if it is built, is at the same place for the same reason.
  await symlink(join(root, "packages/console/pages"), join(making, "pages"))
  // Whole or not at all; another run may have been first.
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }))
  const age = (name: string) => statSync(join(cache, name)).mtimeMs
  const outdated = readdirSync(cache).toSorted((one, other) => age(other) - age(one)).slice(kept)
  await Promise.all(outdated.map((name) => rm(join(cache, name), { recursive: true, force: true })))
}

/** Makes the file in the background when it is not there: a test that runs it waits for it. Safe to run several times at once. */
export const setup = (project: TestProject) => {
  const folder = join(cache, version())
  project.provide("serverBundle", join(folder, "dist/serve/main.js"))
  if (existsSync(folder)) return
  const made = make(folder)
  // Tests that wait for it time out; the teardown reports why there is none.
  made.catch(() => {})
  return () => made
}
