/** Opens the configured storage and the wake-ups of the processes that share it. */
import { Storage, Wakeups } from "@outdial/core"
import {
  DatabaseClock,
  DatabaseUnavailable,
  FolderClock,
  Migrations,
  Pglite,
  Postgres,
  PostgresWakeups,
  Schemas,
  SqlStorage
} from "@outdial/sql"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"

export type StorageLocation =
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted; readonly schema?: string }
  | { readonly _tag: "Folder"; readonly path: string }
  | { readonly _tag: "Memory" }

/** The path of a folder; `undefined` in memory. */
const folderOf = (location: StorageLocation) => location._tag === "Folder" ? location.path : undefined

/** The connection to a storage. A missing folder is created; a folder belongs to one process at a time. */
const connection = (location: StorageLocation) =>
  location._tag === "Postgres"
    ? Postgres.layer({ url: location.url, ...(location.schema !== undefined && { schema: location.schema }) })
    : Pglite.layer({ dataDir: folderOf(location) })

/** Adds advice to connection errors of Postgres. The errors of a folder already have it. */
const explained = (location: StorageLocation) => <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, unknown, R> =>
  location._tag === "Postgres" ? DatabaseUnavailable.explained(layer) : layer

/** The storage once the tables are ready, its wake-ups, and its clock: the database's, or a guarded clock for a folder. */
const over = (
  location: StorageLocation,
  prepared: Layer.Layer<never, unknown, SqlClient.SqlClient>
): Layer.Layer<Storage.Storage | Wakeups.Wakeups, unknown> => {
  const storage = SqlStorage.layer.pipe(Layer.provide(prepared))
  const all = location._tag === "Postgres"
    ? Layer.provideMerge(Layer.merge(storage, PostgresWakeups.layer), DatabaseClock.layer)
    : Layer.provideMerge(
      Layer.merge(storage, Wakeups.Wakeups.layerMemory),
      FolderClock.layer({ dataDir: folderOf(location) })
    )
  return all.pipe(Layer.provide(connection(location)), explained(location))
}

/** Runs the migrations. Only `migrate`, `serve` and `dev` use it. */
export const layer = (location: StorageLocation) => {
  const migrations = location._tag === "Postgres" && location.schema !== undefined
    ? Migrations.layerIn(location.schema)
    : Migrations.layer
  return over(location, migrations.pipe(Layer.provide(Layer.effectDiscard(Schemas.warnBeside))))
}

/** Migrates nothing. Fails with `NotMigrated` if this version's tables are missing. */
export const layerFound = (location: StorageLocation) =>
  Layer.unwrap(Effect.gen(function*() {
    // Opening it would create it.
    if (location._tag === "Folder" && !(yield* Pglite.isThere(location.path))) {
      const { path } = location
      return yield* new Schemas.NotMigrated({ reason: "no_tables", place: `The folder ${path}`, elsewhere: [] })
    }
    return Storage.layerStores.pipe(Layer.provideMerge(over(location, Schemas.layerRequired)))
  }))

/** The storage and its connection. Neither checks nor migrates the tables. */
export const layerUnmigrated = (
  location: StorageLocation
): Layer.Layer<Storage.AnyStore | Storage.Storage | SqlClient.SqlClient, unknown> =>
  Storage.layerStores.pipe(
    Layer.provideMerge(SqlStorage.layer),
    Layer.provideMerge(connection(location)),
    explained(location)
  )
