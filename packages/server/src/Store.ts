/** Opens the storage that was asked for, with its migrations run, and the wake-ups of those that share it. */
import { type Storage, Wakeups } from "@outdial/core"
import {
  DatabaseClock,
  DatabaseUnavailable,
  Migrations,
  Pglite,
  Postgres,
  PostgresWakeups,
  SqlStorage
} from "@outdial/sql"
import { Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"

export type Place =
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }
  | { readonly _tag: "Folder"; readonly path: string }
  | { readonly _tag: "Memory" }

/** The connection to a place. A folder is made when it is not there, and belongs to one process at a time. */
const connection = (place: Place) =>
  place._tag === "Postgres"
    ? Postgres.layer({ url: place.url })
    : Pglite.layer({ dataDir: place._tag === "Folder" ? place.path : undefined })

/** A folder says itself what is wrong with it. */
const explained = (place: Place) => <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, unknown, R> =>
  place._tag === "Postgres" ? DatabaseUnavailable.explained(layer) : layer

/** The storage at a place, and the wake-ups of those that share it; on a Postgres its clock, too. */
export const layer = (place: Place): Layer.Layer<Storage.Storage | Wakeups.Wakeups, unknown> => {
  const storage = SqlStorage.layer.pipe(Layer.provide(Migrations.layer))
  const all = place._tag === "Postgres"
    ? Layer.provideMerge(Layer.merge(storage, PostgresWakeups.layer), DatabaseClock.layer)
    : Layer.merge(storage, Wakeups.Wakeups.layerMemory)
  return all.pipe(Layer.provide(connection(place)), explained(place))
}

/** The storage as it is found, with its connection: nothing is migrated. */
export const layerUnmigrated = (place: Place): Layer.Layer<Storage.Storage | SqlClient.SqlClient, unknown> =>
  SqlStorage.layer.pipe(Layer.provideMerge(connection(place)), explained(place))
