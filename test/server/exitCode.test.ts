import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { describe } from "vitest"

describe("a run of tests", () => {
  it("fails if a test fails, also if packages of the set-up have exit handlers", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "run", "--config", "test/support/failing/vitest.config.ts"],
      // A given address is used unchanged: this run needs no database.
      {
        cwd: resolve(import.meta.dirname, "../.."),
        encoding: "utf8",
        env: { ...process.env, DATABASE_URL: "postgres://none" }
      }
    )
    assert.match(stdout, /1 failed/)
    assert.strictEqual(status, 1)
  })
})
