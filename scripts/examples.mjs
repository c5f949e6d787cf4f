// Runs every example as its reader would, each in a process of its own; fails when one does, or prints something else than it
// says: what stands in a comment behind a `console.log`, up to an ellipsis.
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { setTimeout } from "node:timers/promises"
import pg from "pg"
import { start } from "../test/support/postgresSetup.ts"

const programs = globSync("examples/*/main.ts").map((file) => [file])
// Contracts run on vitest, with all other tests.
const tests = globSync("examples/*/*.test.ts", { exclude: ["**/*.contract.test.ts"] }).map((file) => ["--test", file])

/** The first line that the program says it prints, and has not, in the order in which it says so. */
const missing = (file, printed) => {
  const lines = printed.split("\n")
  return readFileSync(file, "utf8").matchAll(/^ *(?:yield\* )?console\.log\(.*\) \/\/ (.+)$/gim).map(([, said]) => said)
    .find(
      (said) => {
        const isIt = (line) => said.endsWith("…") ? line.startsWith(said.slice(0, -1).trimEnd()) : line === said
        const at = lines.findIndex(isIt)
        lines.splice(0, at + 1)
        return at === -1
      }
    )
}

/** A Postgres of their own, or the one that DATABASE_URL names, for the programs that read its address. */
let url
const stopPostgres = await start((address) => url = address)
const isUp = async () => {
  const client = new pg.Client({ connectionString: url })
  return client.connect().then(() => true, () => false).finally(() => client.end())
}
for (let tries = 0; tries < 300 && !(await isUp()); tries++) await setTimeout(200)

let failed = 0
const run = (args) =>
  new Promise((resolve) =>
    execFile(process.execPath, ["--conditions=@outdial/source", ...args], {
      timeout: 300_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, DATABASE_URL: url }
    }, (error, stdout, stderr) => {
      console.log(args.join(" "))
      process.stdout.write(stdout)
      process.stderr.write(stderr)
      const said = missing(args.at(-1), stdout)
      if (said !== undefined) console.error(`It did not print: ${said}`)
      if (error !== null || said !== undefined) failed += 1
      resolve()
    })
  )
/** One on each core. */
const waiting = [...programs, ...tests]
await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) await run(args)
}))
console.log(`${programs.length + tests.length - failed} passed, ${failed} failed`)
await stopPostgres?.()
process.exit(failed === 0 ? 0 : 1)
