/**
 * The packages for the whole run of the long tests, built and packed once: files of tests run at once, and a build empties what
 * another one packs.
 */
import { execFile } from "node:child_process"
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

export const setup = async (project: TestProject) => {
  const folder = await mkdtemp(join(tmpdir(), "outdial-packed-"))
  await promisify(execFile)(process.execPath, [resolve(import.meta.dirname, "../../scripts/build.mjs")])
  project.provide("packed", await Packed.packAll(folder))
  return () => rm(folder, { recursive: true, force: true })
}
