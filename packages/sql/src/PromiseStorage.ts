/**
 * The database for hosts that do not use Effect, as parts of what `Outdial.open` takes:
 * `Outdial.open({ ...postgres({ url, schema: "outdial" }), secretKey })`. Each opens a pool of its own beside the host's.
 */
import type { PgClient } from "@effect/sql-pg"
import type { Storage, Wakeups } from "@outdial/core"
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
  /** The schema to keep everything in, made when it is not there; what the role has first in its search path when not given. */
  readonly schema?: string
  /** Most connections at once, 10 by default; one of them listens for wake-ups, unless there is no other. */
  readonly maxConnections?: number
}

/** What `Outdial.open` takes of a Postgres. */
export interface PostgresParts {
  readonly storage: Layer.Layer<Storage.Storage, unknown>
  readonly wakeups: Layer.Layer<Wakeups.Wakeups, unknown>
  readonly clock: Layer.Layer<never, unknown>
  readonly transactions: Layer.Layer<never, unknown>
}

/**
 * A Postgres, with wake-ups between the processes that share it, the clock that they share, and transactions that the host opens on
 * it with a client of its own. Runs the migrations. While it is away, or lets nobody in, `Outdial.open` rejects with
 * `database_unavailable`.
 */
export const postgres = ({ maxConnections, schema, url }: PostgresOptions): PostgresParts => {
  // Said here, and without the address: what reads it later would show it whole, with its password.
  if (!URL.canParse(url)) {
    throw new TypeError(
      "url must be postgres://user:password@host:port/database; percent-encode what is special in the password"
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
 * The same on a `PgClient` of the host's own, which is left to the host. Its connections must have `schema` first in their search
 * path, when one is given.
 */
export const postgresOn = <E>(
  client: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, E>,
  { schema }: Pick<PostgresOptions, "schema"> = {}
): PostgresParts => {
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
 * A Postgres inside the process, in this folder or, without one, in memory, with a clock that is guarded against being set. Needs
 * `@electric-sql/pglite`.
 */
export const embedded = (dataDir?: string): {
  readonly storage: Layer.Layer<Storage.Storage, unknown>
  readonly clock: Layer.Layer<never, unknown>
} => {
  // One layer, so that both have the same folder open.
  const folder = Pglite.layer({ dataDir })
  return {
    storage: SqlStorage.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(folder)),
    clock: Layer.provide(FolderClock.layer({ dataDir }), folder)
  }
}
