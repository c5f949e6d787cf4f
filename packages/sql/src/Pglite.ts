/**
 * A Postgres inside the process, for trying out and for small installations: PGlite behind the same client and the same SQL.
 * Guarantees one process per folder, and that a killed process loses nothing that had committed; a machine that loses power
 * may, because PGlite does not flush to disk. It has one session: units of work take turns, and there is no LISTEN.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { join } from "node:path"
import * as DataFolderLock from "./DataFolderLock.ts"
import * as PgliteWire from "./PgliteWire.ts"

export { DataFolderUnavailable } from "./DataFolderLock.ts"

export interface Options {
  /** The folder to keep everything in, made when it is not there; without one, in memory. */
  readonly dataDir: string | undefined
}

/** Opens the folder, or makes it; closes it with the scope. */
export const layer = (
  { dataDir }: Options
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient,
  DataFolderLock.DataFolderUnavailable | SqlError.SqlError
> =>
  Layer.unwrap(Effect.gen(function*() {
    if (dataDir !== undefined) yield* DataFolderLock.acquire(dataDir)
    const database = yield* open(dataDir)
    return PgClient.layer({
      stream: PgliteWire.make((messages) => database.execProtocolRaw(messages)),
      ssl: false,
      database: "postgres",
      username: "postgres",
      maxConnections: 1,
      // A connection waits here for its turn: until the one before it has ended its transaction.
      connectTimeout: "30 seconds",
      transformJson: false
    })
  }))

/** Loaded when it is asked for: who uses only Postgres need not have it installed. */
const load = Effect.promise(() => import("@electric-sql/pglite"))

const open = Effect.fnUntraced(function*(dataDir: string | undefined) {
  const { PGlite } = yield* load
  return yield* Effect.acquireRelease(
    dataDir === undefined
      ? Effect.promise(() => PGlite.create())
      : Effect.tryPromise({
        // A folder of its own inside the data folder, because Postgres wants an empty one to begin with.
        try: () => PGlite.create(join(dataDir, "postgres")),
        catch: (cause) => new DataFolderLock.DataFolderUnavailable({ dataDir, reason: "unreadable", cause })
      }),
    (database) => Effect.promise(() => database.close())
  )
})
