/**
 * The Postgres of a run of benchmarks: Debian's, with its `pgbench`, where that is installed, in a folder of its own and with
 * durability as in production; else the embedded one of the tests, which has no `pgbench`.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { execFile, execFileSync, spawn } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { chown, mkdtemp, rm } from "node:fs/promises"
import { once } from "node:events"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import * as postgresSetup from "../support/postgresSetup.ts"

export class BenchPostgres extends Context.Service<BenchPostgres, {
  /** The address of a database. */
  readonly urlOf: (database: string) => string
  readonly version: string
  readonly pgbench?: (database: string, args: ReadonlyArray<string>) => Effect.Effect<string>
  /** Milliseconds that the server's processes have taken of the cores. */
  readonly cpu?: Effect.Effect<number>
}>()("test/bench/BenchPostgres") {}

/** Few processes of one owner: memory as on a small server, and never a checkpoint in the middle of a turn. */
const settings = ["shared_buffers=1GB", "max_wal_size=8GB", "max_connections=200", "fsync=on", "full_page_writes=on"]

/** Settings to measure the cost of each statement. */
const watching = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on"]

/** The newest installation that has everything. */
const installed = (): string | undefined =>
  globSync("/usr/lib/postgresql/*/bin").toSorted((a, b) => Number(b.split("/")[4]) - Number(a.split("/")[4]))
    .find((bin) => ["initdb", "postgres", "pgbench"].every((program) => existsSync(join(bin, program))))

/** Postgres refuses to run as root. */
const owner = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const [uid = 0, gid = 0] = ["-u", "-g"].map((flag) =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  )
  return { uid, gid }
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  await promisify(server.close.bind(server))()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Hundredths of a second by the kernel's count, which is what it has on every machine. */
const cpuOf = (pid: number) =>
  Effect.sync(() => {
    const fieldsOf = (pid: number | string) =>
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    const ticks = (fields: ReadonlyArray<string>) => fields.reduce((all, field) => all + Number(field), 0)
    const server = fieldsOf(pid)
    const processes = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)
    // Its own, with those that have ended, and those that run.
    return 10 * (ticks(server.slice(11, 15)) +
      processes.reduce((all, child) => all + ticks(fieldsOf(child).slice(11, 13)), 0))
  })

const startInstalled = async (bin: string, flags: ReadonlyArray<string>) => {
  const as = owner()
  const folder = await mkdtemp(join(tmpdir(), "outdial-bench-"))
  if (as.uid !== undefined && as.gid !== undefined) await chown(folder, as.uid, as.gid)
  const data = join(folder, "data")
  await promisify(execFile)(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"], {
    ...as,
    cwd: folder
  })
  const port = await freePort()
  const all = [...settings, ...flags, `port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`]
  const server = spawn(join(bin, "postgres"), ["-D", data, ...all.flatMap((flag) => ["-c", flag])], {
    ...as,
    cwd: folder,
    stdio: "ignore",
    // In its own process group, so that Ctrl-C reaches only this process, which stops the server at the end.
    detached: true
  })
  const stop = async () => {
    server.kill("SIGINT")
    if (server.exitCode === null) await once(server, "exit")
    await rm(folder, { recursive: true, force: true })
  }
  const pgbench = (database: string, args: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const all = ["-h", folder, "-p", `${port}`, "-U", "postgres", "-n", "-M", "prepared", ...args, database]
      const { stdout } = await promisify(execFile)(join(bin, "pgbench"), all, { ...as, cwd: folder })
      return stdout
    })
  return {
    urlOf: (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    stop,
    pgbench,
    ...(server.pid !== undefined && { cpu: cpuOf(server.pid) })
  }
}

const startEmbedded = async () => {
  let url = ""
  const stop = await postgresSetup.start((address) => (url = address))
  const urlOf = (database: string) => {
    const address = new URL(url)
    address.pathname = `/${database}`
    return address.toString()
  }
  return { urlOf, stop: async () => stop?.() }
}

/** The client of a database, for looking at it. */
export const client = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 2 })

/** One that is watched costs a little more. */
export const layer = (options: { readonly watched: boolean }) =>
  Layer.effect(
    BenchPostgres,
    Effect.gen(function*() {
      const bin = installed()
      if (bin === undefined) {
        yield* Effect.logWarning(
          "There is no Debian package postgresql here: our own figures are measured without pgbench's"
        )
      }
      const { stop: _, ...server } = yield* Effect.acquireRelease(
        Effect.promise(() =>
          bin === undefined ? startEmbedded() : startInstalled(bin, options.watched ? watching : [])
        ),
        ({ stop }) => Effect.promise(stop)
      )
      const [row] = yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ readonly version: string }>`select current_setting('server_version') as version`
      ).pipe(
        Effect.provide(client(server.urlOf("postgres"))),
        // It may still be starting.
        Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 200 }),
        Effect.orDie
      )
      return { ...server, version: row?.version ?? "" }
    })
  )
