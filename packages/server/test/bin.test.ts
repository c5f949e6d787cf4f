import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** The command line on a Node that says that it has this version. */
const on = (version: string) => {
  const pretending = `Object.defineProperty(process.versions, "node", { value: "${version}" })`
  const imported = `data:text/javascript,${encodeURIComponent(pretending)}`
  return spawnSync(
    process.execPath,
    ["--conditions=@outdial/source", "--import", imported, join(import.meta.dirname, "../src/bin.ts"), "--version"],
    { encoding: "utf8" }
  )
}

describe("the command", () => {
  it("says which Node it needs on one that is too old", () => {
    for (const version of ["18.20.8", "22.18.0"]) {
      const { status, stderr, stdout } = on(version)
      assert.deepStrictEqual([status, stdout], [1, ""])
      assert.strictEqual(stderr, `outdial: Node 22.19 or later is needed; this is ${version}\n`)
    }
  })

  it("runs on the oldest that will do, and on newer ones", () => {
    for (const version of ["22.19.0", "24.0.0"]) assert.match(on(version).stdout, /^outdial v\d/)
  })
})
