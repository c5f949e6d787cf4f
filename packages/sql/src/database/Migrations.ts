/**
 * Migrates the database to the schema of this version. Forward only, in one transaction. Nodes that start together
 * migrate one at a time, and an up-to-date database is left unchanged. Nodes of the previous version keep
 * working, except under `0008_plain_names` and `0009_live_calls`.
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
import * as LiveCalls from "./migrations/0009_live_calls.ts"
import * as Conversations from "./migrations/0010_conversations.ts"
import * as ArchivedAgents from "./migrations/0011_archived_agents.ts"
import * as CallPages from "./migrations/0012_call_pages.ts"
import * as Carriers from "./migrations/0013_carriers.ts"
import * as ModelUsage from "./migrations/0014_model_usage.ts"
import * as Verdicts from "./migrations/0015_verdicts.ts"
import * as CarrierReasons from "./migrations/0016_carrier_reasons.ts"
import * as PausedCarriers from "./migrations/0017_paused_carriers.ts"
import * as AnnouncedRecordings from "./migrations/0018_announced_recordings.ts"
import * as Costs from "./migrations/0019_costs.ts"
import * as UnwantedRecordings from "./migrations/0020_unwanted_recordings.ts"
import * as LateReports from "./migrations/0021_late_reports.ts"
import * as Console from "./migrations/0022_console.ts"
import * as HoldHistory from "./migrations/0023_hold_history.ts"
import * as Decisions from "./migrations/0024_decisions.ts"

/** The table of finished migrations, separate from a host's own. */
export const table = "outdial_migrations"

type Run = Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
>

type Migration = Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>

/** Runs the migrations of the record that have not run; returns them. */
export const runOf = (migrations: { readonly [name: string]: Migration }): Run =>
  Migrator.make({})({
    table,
    loader: Migrator.fromRecord(Record.map(migrations, withLockTimeout))
  }).pipe(Effect.retry({ while: isLocked, schedule: Schedule.spaced("500 millis"), times: lockRetries }))

/** All users of a table wait behind a migration that waits for its lock, so it waits briefly and retries. */
const withLockTimeout = (migration: Migration) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`set local lock_timeout = '2s'`
    yield* migration
  })

/** Two and a half minutes: longer than nodes that start together, or a host's transaction, take. */
const lockRetries = 60

const isLocked = (error: unknown): boolean => {
  const cause = error instanceof Migrator.MigrationError ? error.cause : error
  // A migration of several tables may deadlock with users that lock them in another order.
  return SqlError.isSqlError(cause) && ["DeadlockError", "LockTimeoutError"].includes(cause.reason._tag)
}

/** All migrations of this version. */
export const migrations = {
  "0001_accounts": Accounts.migration,
  "0002_calls": Calls.migration,
  "0003_events": Events.migration,
  "0004_retention": Retention.migration,
  "0005_workers": Workers.migration,
  "0006_call_carrier": CallCarrier.migration,
  "0007_expired_calls": ExpiredCalls.migration,
  "0008_plain_names": PlainNames.migration,
  "0009_live_calls": LiveCalls.migration,
  "0010_conversations": Conversations.migration,
  "0011_archived_agents": ArchivedAgents.migration,
  "0012_call_pages": CallPages.migration,
  "0013_carriers": Carriers.migration,
  "0014_model_usage": ModelUsage.migration,
  "0015_verdicts": Verdicts.migration,
  "0016_carrier_reasons": CarrierReasons.migration,
  "0017_paused_carriers": PausedCarriers.migration,
  "0018_announced_recordings": AnnouncedRecordings.migration,
  "0019_costs": Costs.migration,
  "0020_unwanted_recordings": UnwantedRecordings.migration,
  "0021_late_reports": LateReports.migration,
  "0022_console": Console.migration,
  "0023_hold_history": HoldHistory.migration,
  "0024_decisions": Decisions.migration
}

/** The number of this version's last migration. */
export const latest = Math.max(...Object.keys(migrations).map((name) => parseInt(name, 10)))

/** Runs the migrations that have not run; returns them. */
export const run: Run = runOf(migrations)

/** Runs the migrations while the layer is built. */
export const layer: Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> = Layer
  .effectDiscard(run)

/** The same in a schema of its own, which is created if missing and must be first in the connection's search path. */
export const layerIn = (
  schema: string
): Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.effectDiscard(Effect.andThen(createSchema(schema), run))

const createSchema = Effect.fnUntraced(function*(schema: string) {
  const sql = yield* SqlClient.SqlClient
  // Checked first: a role may have the right to use a schema but not to create one.
  const found = yield* sql`select from pg_namespace where nspname = ${schema}`
  if (found.length === 0) yield* sql`create schema if not exists ${sql(schema)}`
  // One of the nodes that start together creates it; the others conflict and retry.
}, Effect.retry({ times: 3 }))
