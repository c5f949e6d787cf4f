/**
 * The other queues on Postgres, in processes of their own. Their packages have a lock file of their own and are installed when
 * they are first measured, so that other runs do not wait for them.
 */
import { Effect, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { BenchPostgres } from "./BenchPostgres.ts"
import * as ChildProcess from "./ChildProcess.ts"
import type { Contender } from "./Measurement.ts"

const folder = join(import.meta.dirname, "peers")

const labels = { graphileWorker: "graphile-worker", pgBoss: "pg-boss", barePg: "pg" } as const
export type Peer = keyof typeof labels

/** Installs what the lock file names, when that has not been done since it was changed. */
const install = Effect.sync(() => {
  const mark = join(folder, "node_modules/.package-lock.json")
  if (existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs) return
  execFileSync("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], { cwd: folder, stdio: ["ignore", 2, 2] })
})

/** What the peer is called in tables, with its version. */
export const labelOf = (peer: Peer): string => `${labels[peer]} ${versions()[labels[peer]]}`

const versions = (): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies

export type Ask = (task: string, count: number) => Effect.Effect<unknown>

/** The peer on a database, until the scope ends. */
export const start = Effect.fnUntraced(
  function*(peer: Peer, database: string): Effect.fn.Return<Ask, never, BenchPostgres | Scope.Scope> {
    yield* install
    const { urlOf } = yield* BenchPostgres
    const child = yield* ChildProcess.start(join(folder, "main.mjs"), [peer, urlOf(database)])
    return (task, count) => child.ask({ task, count })
  }
)

/** Its tasks as contenders, which one process does in turns. */
export const contenders = Effect.fnUntraced(
  function*(peer: Peer, database: string, tasks: Readonly<Record<string, string>>) {
    const ask = yield* start(peer, database)
    return Object.entries(tasks).map(([task, how]): Contender => ({
      label: `${labelOf(peer)}${how === "" ? "" : `, ${how}`}`,
      run: (count) => Effect.map(ask(task, count), (figures) => [figures].flat().map(Number))
    }))
  }
)
