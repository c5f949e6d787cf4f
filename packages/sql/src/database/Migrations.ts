/**
 * Brings the database to the schema this version needs. Forward only, in one transaction; nodes that start together take
 * turns, and a database that is up to date is left alone. Nodes of the version before go on working meanwhile.
 */
import { Effect, Layer, Record, Schedule } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as Accounts from "./migrations/0001_accounts.ts"
import * as Calls from "./migrations/0002_calls.ts"
import * as Events from "./migrations/0003_events.ts"
import * as Retention from "./migrations/0004_retention.ts"
import * as Workers from "./migrations/0005_workers.ts"
import * as CallCarrier from "./migrations/0006_call_carrier.ts"
import * as ExpiredCalls from "./migrations/0007_expired_calls.ts"
import * as PlainNames from "./migrations/0008_plain_names.ts"

/** Where the migrations that have run are kept, beside a host's own. */
export const table = "outdial_migrations"

type Run = Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
>

type Migration = Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>

/** Runs those of the record that have not run; answers which. */
export const runOf = (migrations: { readonly [name: string]: Migration }): Run =>
  Migrator.make({})({
    table,
    loader: Migrator.fromRecord(Record.map(migrations, withLockTimeout))
  }).pipe(Effect.retry({ while: isLocked, schedule: Schedule.spaced("500 millis"), times: lockRetries }))

/** Behind a lock on a table that is waited for, everybody waits who uses the table: it is waited for in short turns. */
const withLockTimeout = (migration: Migration) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`set local lock_timeout = '2s'`
    yield* migration
  })

/** Two minutes and a half of trying: longer than nodes that start together take turns, or a host's transaction is open. */
const lockRetries = 60

const isLocked = (error: unknown): boolean => {
  const cause = error instanceof Migrator.MigrationError ? error.cause : error
  // A migration of several tables may meet those who use them in another order.
  return SqlError.isSqlError(cause) && ["DeadlockError", "LockTimeoutError"].includes(cause.reason._tag)
}

/** All that this version knows, by number and name. */
export const migrations = {
  "0001_accounts": Accounts.migration,
  "0002_calls": Calls.migration,
  "0003_events": Events.migration,
  "0004_retention": Retention.migration,
  "0005_workers": Workers.migration,
  "0006_call_carrier": CallCarrier.migration,
  "0007_expired_calls": ExpiredCalls.migration,
  "0008_plain_names": PlainNames.migration
}

/** The number of the last migration that this version knows. */
export const latest = Math.max(...Object.keys(migrations).map((name) => parseInt(name, 10)))

/** Runs the migrations that have not run; answers which. */
export const run: Run = runOf(migrations)

/** Runs the migrations while the layers above are being built. */
export const layer: Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> = Layer
  .effectDiscard(run)

/** The same in a schema of its own, which is made when it is not there and must come first in the connection's search path. */
export const layerIn = (
  schema: string
): Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.effectDiscard(Effect.andThen(createSchema(schema), run))

const createSchema = Effect.fnUntraced(function*(schema: string) {
  const sql = yield* SqlClient.SqlClient
  // Looked for first: a role that may use a schema may not be one that may make them.
  const found = yield* sql`select from pg_namespace where nspname = ${schema}`
  if (found.length === 0) yield* sql`create schema if not exists ${sql(schema)}`
  // Of processes that start together one makes it, and the others fail at its name.
}, Effect.retry({ times: 3 }))
