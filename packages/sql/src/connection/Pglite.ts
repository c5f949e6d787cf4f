/**
 * A Postgres inside the process, for development and small installations: PGlite behind the same client and the same SQL. One
 * process per folder. A killed process loses nothing that was committed, and a folder that does not open is left unchanged. A
 * power failure may lose the last half minute, or everything, because PGlite never flushes to disk, whatever `fsync` says. It
 * has one session: transactions run one at a time, and there is no LISTEN.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { mkdir, readdir, rename, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import * as DataFolderAccess from "./DataFolderAccess.ts"
import * as DataFolderLock from "./DataFolderLock.ts"
import * as Lifetime from "./Lifetime.ts"
import { boundedTimers } from "./PgliteTimers.ts"
import * as PgliteWire from "./PgliteWire.ts"

export { DataFolderUnavailable } from "./DataFolderLock.ts"

export interface Options {
  /** The data folder, created if it does not exist; without it, data is kept in memory. */
  readonly dataDir: string | undefined
}

/** Opens or creates the folder; closes it with the scope. */
export const layer = (
  { dataDir }: Options
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient,
  DataFolderLock.DataFolderUnavailable | SqlError.SqlError
> =>
  Layer.unwrap(Effect.gen(function*() {
    if (dataDir !== undefined) yield* DataFolderLock.acquire(dataDir)
    const database = yield* open(dataDir)
    const execute = (messages: Uint8Array) => database.execProtocolRaw(messages)
    const client = PgClient.layer({
      stream: PgliteWire.make(dataDir === undefined ? execute : rejectWhileFull(dataDir, execute)),
      ssl: false,
      database: "postgres",
      username: "postgres",
      maxConnections: 1,
      // A connection waits here until the transaction before it has ended.
      connectTimeout: "30 seconds",
      transformJson: false
    })
    return dataDir === undefined ? Layer.merge(client, Layer.succeed(Lifetime.OutlivesProcess, false)) : client
  }))

/**
 * Imported lazily: users of Postgres alone need not install it. Bundlers leave the import to the runtime; otherwise Next.js
 * could not build without the package.
 */
const load = Effect.promise(() => import(/* webpackIgnore: true */ "@electric-sql/pglite"))

const extensions = { boundedTimers }

const open = Effect.fnUntraced(function*(dataDir: string | undefined) {
  const { PGlite } = yield* load
  if (dataDir !== undefined) yield* prepare(dataDir, (folder) => PGlite.create(folder).then((made) => made.close()))
  return yield* Effect.acquireRelease(
    dataDir === undefined
      ? Effect.promise(() => PGlite.create({ extensions }))
      : Effect.tryPromise({
        try: () => PGlite.create(folderIn(dataDir), { extensions }),
        catch: (cause) => new DataFolderLock.DataFolderUnavailable({ dataDir, reason: "damaged", cause })
      }),
    (database) =>
      Effect.andThen(
        Effect.promise(() => database.close()),
        dataDir === undefined ? Effect.void : closeFiles(dataDir)
      )
  )
})

/** Restricts files created meanwhile; after a kill, the next start does that. */
const closeFiles = (dataDir: string) =>
  Effect.ignore(Effect.tryPromise(() => DataFolderAccess.closeTree(folderIn(dataDir))))

/** Whether other users can enter the folder. Changes nothing. */
export const isOpenToOthers = (dataDir: string): Effect.Effect<boolean, DataFolderLock.DataFolderUnavailable> =>
  Effect.tryPromise({
    try: () => DataFolderAccess.isOpen(dataDir),
    catch: (cause) => DataFolderLock.unavailable(dataDir, cause)
  })

/** Whether the folder has a database. Creates nothing, and does not check that it opens. */
export const isThere = (dataDir: string): Effect.Effect<boolean, DataFolderLock.DataFolderUnavailable> =>
  Effect.tryPromise({
    try: async () => (await filesIn(folderIn(dataDir))).length > 0,
    catch: (cause) => new DataFolderLock.DataFolderUnavailable({ dataDir, reason: "unreadable", cause })
  })

/** A subfolder, because Postgres needs an empty folder for a new database. */
const folderIn = (dataDir: string) => join(dataDir, "postgres")

/**
 * Creates the database if there is none, completely or not at all. An existing one is never replaced: PGlite alone treats
 * a folder without a version file as empty, and would create a new database over the old one.
 */
const prepare = Effect.fnUntraced(function*(dataDir: string, make: (folder: string) => Promise<void>) {
  const unavailable = (reason: DataFolderLock.DataFolderUnavailable["reason"]) => (cause: unknown) =>
    new DataFolderLock.DataFolderUnavailable({ dataDir, reason, cause })
  const folder = folderIn(dataDir)
  const { files, isFull } = yield* Effect.tryPromise({
    try: async () => ({ files: await filesIn(folder), isFull: !(await hasRoom(dataDir)) }),
    catch: unavailable("unreadable")
  })
  if (isFull) return yield* unavailable("full")(undefined)
  if (files.includes("PG_VERSION")) {
    return yield* Effect.tryPromise({
      try: () => DataFolderAccess.closeTree(folder),
      catch: (cause) => DataFolderLock.unavailable(dataDir, cause)
    })
  }
  if (files.length > 0) return yield* unavailable("damaged")(new Error(`${folder} has no PG_VERSION`))
  const draft = `${folder}.new`
  yield* Effect.tryPromise({
    try: async () => {
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft, { mode: 0o700 })
      await make(draft)
      await DataFolderAccess.closeTree(draft)
      await rename(draft, folder)
    },
    catch: unavailable("unreadable")
  })
})

const filesIn = (folder: string) =>
  readdir(folder).catch((error: NodeJS.ErrnoException): ReadonlyArray<string> => {
    if (error.code === "ENOENT") return []
    throw error
  })

/**
 * Slightly more than twice the growth step of the write-ahead log. If the log has no room, PGlite neither fails nor
 * continues, and the whole process hangs. A table without room only fails.
 */
const reserve = 48 * 1024 * 1024

const hasRoom = async (dataDir: string) => {
  const { bavail, bsize } = await statfs(dataDir)
  return bavail * bsize >= reserve
}

/** Rejects work while the disk is full: callers see an unavailable storage. */
const rejectWhileFull = (dataDir: string, execute: PgliteWire.Execute): PgliteWire.Execute => async (messages) => {
  if (!(await hasRoom(dataDir))) throw new DataFolderLock.DataFolderUnavailable({ dataDir, reason: "full" })
  return execute(messages)
}
