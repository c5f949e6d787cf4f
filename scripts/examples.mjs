// Runs every example as its reader would, each in a process of its own; fails when one does, or prints something else than it
// says: what stands in a comment behind a `console.log`, up to an ellipsis.
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"

const programs = globSync("examples/*/main.ts").map((file) => [file])
// Contracts run on vitest, with all other tests.
const tests = globSync("examples/*/*.test.ts", { exclude: ["**/*.contract.test.ts"] }).map((file) => ["--test", file])

/** The first line that the program says it prints, and has not, in the order in which it says so. */
const missing = (file, printed) => {
  const lines = printed.split("\n")
  return readFileSync(file, "utf8").matchAll(/^ *console\.log\(.*\) \/\/ (.+)$/gm).map(([, said]) => said).find(
    (said) => {
      const isIt = (line) => said.endsWith("…") ? line.startsWith(said.slice(0, -1).trimEnd()) : line === said
      const at = lines.findIndex(isIt)
      lines.splice(0, at + 1)
      return at === -1
    }
  )
}

let failed = 0
for (const args of [...programs, ...tests]) {
  console.log(args.join(" "))
  const { status, stdout } = spawnSync(process.execPath, ["--conditions=@outdial/source", ...args], {
    stdio: ["inherit", "pipe", "inherit"],
    encoding: "utf8",
    timeout: 120_000
  })
  process.stdout.write(stdout)
  const said = missing(args.at(-1), stdout)
  if (said !== undefined) console.error(`It did not print: ${said}`)
  if (status !== 0 || said !== undefined) failed += 1
}
console.log(`${programs.length + tests.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
