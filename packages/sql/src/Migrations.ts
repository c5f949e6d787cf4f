/**
 * Brings the database to the schema this version needs. Forward only, in one transaction; nodes that start together take
 * turns, and a database that is up to date is left alone.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import * as Accounts from "./migrations/0001_accounts.ts"
import * as Calls from "./migrations/0002_calls.ts"
import * as Events from "./migrations/0003_events.ts"

/** Where the migrations that have run are kept, beside a host's own. */
export const table = "outdial_migrations"

const migrations = {
  "0001_accounts": Accounts.migration,
  "0002_calls": Calls.migration,
  "0003_events": Events.migration
}

/** The number of the last migration that this version knows. */
export const latest = Math.max(...Object.keys(migrations).map((name) => parseInt(name, 10)))

/** Runs the migrations that have not run; answers which. */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Migrator.make({})({
  table,
  loader: Migrator.fromRecord(migrations)
})

/** Runs the migrations while the layers above are being built. */
export const layer: Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> = Layer
  .effectDiscard(run)

/** The same in a schema of its own, which is made when it is not there and must come first in the connection's search path. */
export const layerIn = (
  schema: string
): Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.effectDiscard(Effect.andThen(made(schema), run))

const made = Effect.fnUntraced(function*(schema: string) {
  const sql = yield* SqlClient.SqlClient
  // Looked for first: a role that may use a schema may not be one that may make them.
  const found = yield* sql`select from pg_namespace where nspname = ${schema}`
  if (found.length === 0) yield* sql`create schema if not exists ${sql(schema)}`
  // Of processes that start together one makes it, and the others fail at its name.
}, Effect.retry({ times: 3 }))
