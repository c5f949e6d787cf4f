/** `pgbench` with a script of `pgbench/`: the least that a database has to do for the same work, on the same tables. */
import { Effect } from "effect"
import { join } from "node:path"
import { BenchPostgres } from "./BenchPostgres.ts"
import type { Contender } from "./Measurement.ts"
import type { Fixture } from "./Fixture.ts"

export interface Options {
  readonly label: string
  /** The script in `pgbench/`. */
  readonly script: string
  /** Rows that one transaction of the script is about. */
  readonly rows: number
  readonly clients: number
  /** For how many seconds, or for how many transactions of each client. */
  readonly until: { readonly seconds: number } | { readonly transactions: number }
}

/** Reports rows per second; no figures without `pgbench`. */
export const contender = Effect.fnUntraced(function*({ name, sql }: Fixture, options: Options) {
  const { pgbench } = yield* BenchPostgres
  if (pgbench === undefined) return []
  // Numbers the calls of all scripts.
  yield* sql`create sequence if not exists bench_calls cache 1000`
  const { clients, label, rows, script, until } = options
  const length = "seconds" in until ? ["-T", `${until.seconds}`] : ["-t", `${until.transactions}`]
  const args = ["-f", join(import.meta.dirname, "pgbench", `${script}.sql`), "-c", `${clients}`, "-j", "1", ...length]
  const run = Effect.map(pgbench(name, args), (output) => [rows * rateIn(output)])
  return [{ label, run: () => run }] satisfies ReadonlyArray<Contender>
})

const rateIn = (output: string): number => {
  const rate = /^tps = ([\d.]+)/mu.exec(output)?.[1]
  if (rate === undefined) throw new Error(`pgbench reports no rate: ${output}`)
  return Number(rate)
}
