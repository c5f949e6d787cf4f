// Runs every example as its reader would, each in a process of its own; fails when one does.
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"

const programs = globSync("examples/*/main.ts").map((file) => [file])
// Contracts run on vitest, with all other tests.
const tests = globSync("examples/*/*.test.ts", { exclude: ["**/*.contract.test.ts"] }).map((file) => ["--test", file])
let failed = 0
for (const args of [...programs, ...tests]) {
  console.log(args.join(" "))
  const { status } = spawnSync(process.execPath, ["--conditions=@outdial/source", ...args], {
    stdio: "inherit",
    timeout: 120_000
  })
  if (status !== 0) failed += 1
}
console.log(`${programs.length + tests.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
