/** Opens the storage that was asked for, and the wake-ups of those that share it. */
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

/** Of a folder; `undefined` in memory. */
const folderOf = (location: StorageLocation) => location._tag === "Folder" ? location.path : undefined

/** The connection to a place. A folder is made when it is not there, and belongs to one process at a time. */
const connection = (location: StorageLocation) =>
  location._tag === "Postgres"
    ? Postgres.layer({ url: location.url, ...(location.schema !== undefined && { schema: location.schema }) })
    : Pglite.layer({ dataDir: folderOf(location) })

/** A folder, and a database without tables, say themselves what is wrong. */
const explained = (location: StorageLocation) => <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, unknown, R> =>
  location._tag === "Postgres" ? DatabaseUnavailable.explained(layer) : layer

/** The storage once the tables have been prepared, and the wake-ups of those that share it; with the database's clock, or one that is guarded. */
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

/** With the migrations run: for `migrate`, `serve` and `dev`, and for nothing else. */
export const layer = (location: StorageLocation) => {
  const migrations = location._tag === "Postgres" && location.schema !== undefined
    ? Migrations.layerIn(location.schema)
    : Migrations.layer
  return over(location, migrations.pipe(Layer.provide(Layer.effectDiscard(Schemas.warnBeside))))
}

/** As it is found: fails with `NotMigrated` where this version's tables are not, and makes none. */
export const layerFound = (location: StorageLocation) =>
  Layer.unwrap(Effect.gen(function*() {
    // Opening it would make it.
    if (location._tag === "Folder" && !(yield* Pglite.isThere(location.path))) {
      const { path } = location
      return yield* new Schemas.NotMigrated({ reason: "no_tables", place: `The folder ${path}`, elsewhere: [] })
    }
    return Storage.layerStores.pipe(Layer.provideMerge(over(location, Schemas.layerRequired)))
  }))

/** The storage and its connection, whatever tables there are: nothing is migrated. */
export const layerUnmigrated = (
  location: StorageLocation
): Layer.Layer<Storage.AnyStore | Storage.Storage | SqlClient.SqlClient, unknown> =>
  Storage.layerStores.pipe(
    Layer.provideMerge(SqlStorage.layer),
    Layer.provideMerge(connection(location)),
    explained(location)
  )
