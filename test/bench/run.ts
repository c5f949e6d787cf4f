/** Runs the benchmarks, or those that `--only a,b` names, and prints one line of JSON for each. */
import { Console, Effect } from "effect"
import { parseArgs } from "node:util"
import { deliveries } from "./deliveries.ts"
import type { Measurement } from "./Measurement.ts"

const benchmarks: Readonly<Record<string, Effect.Effect<Measurement>>> = { deliveries }

const { values } = parseArgs({ options: { only: { type: "string" } } })
const names = values.only?.split(",") ?? Object.keys(benchmarks)

for (const name of names) {
  const benchmark = benchmarks[name]
  if (benchmark === undefined) {
    throw new Error(`There is no benchmark ${name}; there are ${Object.keys(benchmarks).join(", ")}`)
  }
  await Effect.runPromise(Effect.flatMap(benchmark, (measured) => Console.log(JSON.stringify(measured))))
}
