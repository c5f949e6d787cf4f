/**
 * A Postgres inside the process, for trying out and for small installations: PGlite behind the same client and the same SQL.
 * Guarantees one process per folder, that a killed process loses nothing that had committed, and that a folder which does not
 * open is left as it is; a machine that loses power may lose the last half minute, or all, because PGlite never flushes to disk,
 * whatever `fsync` says. It has one session: units of work take turns, and there is no LISTEN.
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
    const execute = (messages: Uint8Array) => database.execProtocolRaw(messages)
    const client = PgClient.layer({
      stream: PgliteWire.make(dataDir === undefined ? execute : whileThereIsRoom(dataDir, execute)),
      ssl: false,
      database: "postgres",
      username: "postgres",
      maxConnections: 1,
      // A connection waits here for its turn: until the one before it has ended its transaction.
      connectTimeout: "30 seconds",
      transformJson: false
    })
    return dataDir === undefined ? Layer.merge(client, Layer.succeed(Lifetime.OutlivesProcess, false)) : client
  }))

/**
 * Loaded when it is asked for: who uses only Postgres need not have it installed. Bundlers leave it to the runtime, as Next.js
 * would not build where it is missing.
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

/** Files that were made meanwhile; those of a process that was killed are closed by the next start. */
const closeFiles = (dataDir: string) =>
  Effect.ignore(Effect.tryPromise(() => DataFolderAccess.closeTree(folderIn(dataDir))))

/** Whether other users can enter the folder. Changes nothing. */
export const isOpenToOthers = (dataDir: string): Effect.Effect<boolean, DataFolderLock.DataFolderUnavailable> =>
  Effect.tryPromise({
    try: () => DataFolderAccess.isOpen(dataDir),
    catch: (cause) => DataFolderLock.unavailable(dataDir, cause)
  })

/** Whether there is a database in the folder. Makes nothing, and does not look whether it can be opened. */
export const isThere = (dataDir: string): Effect.Effect<boolean, DataFolderLock.DataFolderUnavailable> =>
  Effect.tryPromise({
    try: async () => (await filesIn(folderIn(dataDir))).length > 0,
    catch: (cause) => new DataFolderLock.DataFolderUnavailable({ dataDir, reason: "unreadable", cause })
  })

/** A folder of its own inside the data folder, because Postgres wants an empty one to begin with. */
const folderIn = (dataDir: string) => join(dataDir, "postgres")

/**
 * Makes the database when there is none, whole or not at all. What is there is left alone: PGlite by itself takes a folder
 * whose version file is gone for an empty one, and makes a new database in the place of the old.
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
 * Twice what the write-ahead log grows by at a time, and some: where that has no room PGlite neither fails nor goes on, and
 * the whole process hangs. A table that has no room just fails.
 */
const reserve = 48 * 1024 * 1024

const hasRoom = async (dataDir: string) => {
  const { bavail, bsize } = await statfs(dataDir)
  return bavail * bsize >= reserve
}

/** Refuses work while the disk is full, which callers see as storage that is not available. */
const whileThereIsRoom = (dataDir: string, execute: PgliteWire.Execute): PgliteWire.Execute => async (messages) => {
  if (!(await hasRoom(dataDir))) throw new DataFolderLock.DataFolderUnavailable({ dataDir, reason: "full" })
  return execute(messages)
}
