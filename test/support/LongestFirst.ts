/**
 * The order of the test files: those that take longest start first, so that no core is left waiting for one of them at the end.
 * Vitest knows the duration of a file only from an earlier run, which a fresh clone and CI do not have.
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const root = resolve(import.meta.dirname, "../..")

/** Files that start processes stand between files that do not, as they use more than one core each. */
const longest = [
  "test/long/plans.test.ts",
  "test/long/conversations.test.ts",
  "test/long/packages.test.ts",
  "test/long/killedSender.test.ts",
  "test/long/faults.test.ts",
  "test/docs/docs.blocks.test.ts",
  "test/server/dev.test.ts",
  "test/storage/postgres.test.ts",
  "packages/sql/test/connection/DataFolder.test.ts",
  "test/storage/pglite.test.ts",
  "test/server/cli.test.ts",
  "test/server/call.test.ts",
  "packages/sql/test/dispatch/HeldCalls.test.ts",
  "test/http/adapters.server.test.ts",
  "test/server/serveConfig.test.ts",
  "packages/server/test/doctor/doctor.test.ts",
  "test/server/operate.test.ts",
  "packages/sql/test/call/BatchedWrites.test.ts",
  "test/webhook/webhooks.test.ts",
  "test/model/model.test.ts",
  "packages/server/test/cli/policy/policy.test.ts",
  "test/http/properties.test.ts",
  "packages/sql/test/database/RollingUpgrade.test.ts",
  "test/storage/within.test.ts",
  "test/server/roles.test.ts",
  "test/privacy/erasure.test.ts"
].map((file) => {
  const path = join(root, file)
  // A file that is renamed would lose its place without anyone noticing.
  if (!existsSync(path)) throw new Error(`${file} does not exist: correct its name in test/support/LongestFirst.ts`)
  return path
})

/** The place of a file among the longest; the others come after them, in the order that Vitest gives them. */
const place = ({ moduleId }: TestSpecification) => {
  const index = longest.indexOf(moduleId)
  return index === -1 ? longest.length : index
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}
