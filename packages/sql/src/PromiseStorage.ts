/**
 * The database for hosts that do not use Effect, as parts of what `Outdial.open` takes:
 * `Outdial.open({ ...postgres({ url, schema: "outdial" }), secretKey })`. Each opens a pool of its own beside the host's.
 */
import type { PgClient } from "@effect/sql-pg"
import { OutdialError, refuseUnknown, type Storage, type Wakeups } from "@outdial/core"
import { Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import * as DatabaseClock from "./time/DatabaseClock.ts"
import { explained } from "./connection/DatabaseUnavailable.ts"
import * as FolderClock from "./time/FolderClock.ts"
import * as Migrations from "./database/Migrations.ts"
import * as Pglite from "./connection/Pglite.ts"
import * as Postgres from "./connection/Postgres.ts"
import * as PostgresTransactions from "./connection/PostgresTransactions.ts"
import * as PostgresWakeups from "./loop/PostgresWakeups.ts"
import * as SqlStorage from "./SqlStorage.ts"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** The schema of all tables, created if it does not exist. Default: the first in the role's search path. */
  readonly schema?: string
  /** The most connections of the pool. One listens for wake-ups, unless it is the only one. Default: 10. */
  readonly maxConnections?: number
}

/** Options of `Outdial.open`: spread them into yours. */
export interface PostgresParts {
  readonly storage: Layer.Layer<Storage.Storage, unknown>
  readonly wakeups: Layer.Layer<Wakeups.Wakeups, unknown>
  readonly clock: Layer.Layer<never, unknown>
  readonly transactions: Layer.Layer<never, unknown>
}

/**
 * Stores everything in a Postgres, through a pool of its own. Processes that share it wake each other and go by its clock. Runs the
 * migrations. `Outdial.open` rejects with `database_unavailable` while the database cannot be reached or refuses the role. Throws a
 * `TypeError` when `url` is not an address, and an `OutdialError` for an unknown option.
 */
export const postgres = (options: PostgresOptions): PostgresParts => {
  refuseUnknown(options, { url: true, schema: true, maxConnections: true })
  const { maxConnections, schema, url } = options
  // Without the address: the stack or a log would show it with its password.
  if (!URL.canParse(url)) {
    throw new TypeError(
      "url must be postgres://user:password@host:port/database; percent-encode special characters of the password"
    )
  }
  const pool = Postgres.layer({
    url: Redacted.make(url),
    ...(schema !== undefined && { schema }),
    ...(maxConnections !== undefined && { maxConnections })
  })
  return postgresOn(pool, schema === undefined ? {} : { schema })
}

/**
 * The same through a `PgClient` of your own (`@effect/sql-pg`), which the engine does not close. When `schema` is given, it must be first in
 * the search path of its connections.
 */
export const postgresOn = <E>(
  client: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, E>,
  options: Pick<PostgresOptions, "schema"> = {}
): PostgresParts => {
  refuseUnknown(options, { schema: true })
  const { schema } = options
  // Each layer is one value in all parts, so that an engine has one pool and migrates once.
  const migrations = schema === undefined ? Migrations.layer : Migrations.layerIn(schema)
  return {
    storage: SqlStorage.layer.pipe(Layer.provide(migrations), Layer.provide(client), explained),
    transactions: PostgresTransactions.layer.pipe(Layer.provide(migrations), Layer.provide(client), explained),
    wakeups: explained(Layer.provide(PostgresWakeups.layer, client)),
    clock: explained(Layer.provide(DatabaseClock.layer, client))
  }
}

/**
 * A Postgres inside the process, with its data in the folder `dataDir`, or in memory without one. One process at a time can open a folder.
 * Needs the package `@electric-sql/pglite`.
 */
export const embedded = (dataDir?: string): {
  readonly storage: Layer.Layer<Storage.Storage, unknown>
  readonly clock: Layer.Layer<never, unknown>
} => {
  if (dataDir !== undefined && typeof dataDir !== "string") {
    throw new OutdialError("invalid_request", "dataDir must be the path of a folder, as text", {}, undefined)
  }
  // One layer, so that both use the same open folder.
  const folder = Pglite.layer({ dataDir })
  return {
    storage: SqlStorage.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(folder)),
    clock: Layer.provide(FolderClock.layer({ dataDir }), folder)
  }
}
