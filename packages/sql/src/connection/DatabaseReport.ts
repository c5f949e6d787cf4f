/** The facts about a Postgres that an operator should check before using it for calls. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as DatabaseClock from "../time/DatabaseClock.ts"

/** The settings on which the guarantees to callees and owners depend. */
const settings = [
  "fsync",
  "full_page_writes",
  "idle_in_transaction_session_timeout",
  "max_connections",
  "statement_timeout",
  "superuser_reserved_connections",
  "synchronous_commit",
  "synchronous_standby_names"
] as const

export interface DatabaseReport {
  /** Such as `160002` for 16.2. */
  readonly versionNumber: number
  readonly version: string
  readonly settings: Readonly<Record<(typeof settings)[number], string>>
  /** Standbys that commits currently wait for; `null` if the role may not see them. */
  readonly synchronousStandbys: number | null
  /** Connections of all programs, including this one. */
  readonly connections: number
  /** Whether this connection is encrypted, and whether it leaves the database's machine. */
  readonly encrypted: boolean
  readonly isLocal: boolean
  /** How far this machine's clock is ahead of the database's, and the error of that measurement, in milliseconds. */
  readonly clockAhead: number
  readonly clockError: number
}

export const read: Effect.Effect<DatabaseReport, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  // System views; none of them grows with calls.
  const rows = yield* sql<{ readonly name: (typeof settings)[number]; readonly setting: string }>`
    select s.name, s.setting
    from pg_settings as s
    where s.name in ${sql.in(settings)}`
  const [row] = yield* sql<
    {
      readonly number: number
      readonly version: string
      readonly standbys: number | null
      readonly connections: number
      readonly encrypted: boolean
      readonly is_local: boolean
    }
  >`
    select
      current_setting('server_version_num')::int as number,
      current_setting('server_version') as version,
      case when pg_has_role('pg_read_all_stats', 'usage') then (
        select count(*)::int from pg_stat_replication as r where r.sync_state in ('sync', 'quorum')
      ) end as standbys,
      -- The activity of others is for privileged roles only.
      (select sum(d.numbackends)::int from pg_stat_database as d) as connections,
      coalesce((select s.ssl from pg_stat_ssl as s where s.pid = pg_backend_pid()), false) as encrypted,
      coalesce(inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1', true) as is_local`
  const { ahead, error } = yield* DatabaseClock.compare
  return {
    versionNumber: row?.number ?? 0,
    version: row?.version ?? "unknown",
    // Every Postgres has all of these.
    settings: Object.fromEntries(rows.map(({ name, setting }) => [name, setting])) as DatabaseReport["settings"],
    synchronousStandbys: row?.standbys ?? null,
    connections: row?.connections ?? 0,
    encrypted: row?.encrypted ?? false,
    isLocal: row?.is_local ?? false,
    clockAhead: ahead,
    clockError: error
  }
})
