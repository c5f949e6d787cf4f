import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { describe } from "vitest"

const root = resolve(import.meta.dirname, "../..")

describe("outdial demo", () => {
  it("goes through its campaign, and says so in plain lines where there is no terminal", { timeout: 120_000 }, () => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--conditions=@outdial/source", "packages/server/src/main.ts", "demo", "--speed", "120"],
      { cwd: root, encoding: "utf8", timeout: 110_000 }
    )
    assert.strictEqual(status, 0, stdout + stderr)
    assert.match(stdout, /^London \d\d:\d\d \d+\/100 \| New York 0[89]:\d\d \d+\/100/m)
    // How many contacts get a word in depends on the machine: at this speed, a tenth of a second lasts for twelve.
    assert.match(stdout, /^300 calls in 3 cities ended: \d{3} completed/m)
    assert.match(stdout, /^No phone rang twice for one call/m)
    assert.notInclude(stdout, "\u001b")
    assert.strictEqual(stderr, "")
  })
})
