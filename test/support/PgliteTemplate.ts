/**
 * An empty PGlite database to copy: making one takes seconds of work, a copy takes none. It is made once for each version of
 * PGlite and kept below `node_modules`. It holds nothing of Outdial: the migrations run when a copy is opened.
 */
import { existsSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { join, resolve } from "node:path"

const modules = resolve(import.meta.dirname, "../../node_modules")
const cache = join(modules, ".cache/outdial")
const pglite: { readonly version: string } = JSON.parse(
  readFileSync(join(modules, "@electric-sql/pglite/package.json"), "utf8")
)
const template = join(cache, `pglite-${pglite.version}`)

/** Makes the template when it is not there. Safe to run several times at once. */
export const setup = async () => {
  if (existsSync(template)) return
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, "making-"))
  const { PGlite } = await import("@electric-sql/pglite")
  const database = await PGlite.create(join(folder, "postgres"))
  await database.close()
  // Whole or not at all; another run may have been first.
  await rename(folder, template).catch(() => rm(folder, { recursive: true, force: true }))
}

/** Puts a copy into the data folder, where `outdial` and `Pglite.layer` look for it. */
export const copyInto = async (dataDir: string) => {
  // A folder that others can enter would get a warning.
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await cp(join(template, "postgres"), join(dataDir, "postgres"), { recursive: true })
}
