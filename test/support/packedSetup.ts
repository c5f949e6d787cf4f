/**
 * The packages for the whole run of the long tests, built and packed once: files of tests run at once, and a build empties what
 * another one packs.
 */
import { execFile } from "node:child_process"
import { globSync, statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import * as Packed from "../../scripts/packed.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly packed: ReadonlyArray<Packed.Packed>
  }
}

const root = resolve(import.meta.dirname, "../..")

/** Whether everything was built after the last change, as by the step before this one in CI. */
const isBuilt = () => {
  const found = (pattern: string) => globSync(pattern, { cwd: root })
  const times = (pattern: string) => found(pattern).map((file) => statSync(join(root, file)).mtimeMs)
  return found("packages/*/dist").length === found("packages/*/src").length &&
    found("packages/*/pages/index.html").length === found("packages/*/app").length &&
    Math.min(...times("packages/*/{dist/**/*.js,pages/*.html}")) >
      Math.max(...times("packages/*/{src/**/*.*,app/**/*.*,*.json}"))
}

export const setup = async (project: TestProject) => {
  const folder = await mkdtemp(join(tmpdir(), "outdial-packed-"))
  if (!isBuilt()) await promisify(execFile)(process.execPath, [join(root, "scripts/build.mjs")])
  project.provide("packed", await Packed.packAll(folder))
  return () => rm(folder, { recursive: true, force: true })
}
