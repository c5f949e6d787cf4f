// Runs every example as its reader would, each in a process of its own; fails when one does.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

const examples = readdirSync("examples").filter((name) => existsSync(join("examples", name, "main.ts")))
let failed = 0
for (const name of examples) {
  console.log(`examples/${name}`)
  const { status } = spawnSync(process.execPath, ["--conditions=@outdial/source", join("examples", name, "main.ts")], {
    stdio: "inherit",
    timeout: 120_000
  })
  if (status !== 0) failed += 1
}
console.log(`${examples.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
