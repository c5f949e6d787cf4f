/** A connection pool to Postgres with the settings that Outdial needs. A host with its own `PgClient` does not need it. */
import { PgClient } from "@effect/sql-pg"
import type { Layer, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export interface Options {
  /** `postgres://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** Replaces the role's search path, so that all tables are in this schema; migrations create it. */
  readonly schema?: string
  /** Maximum number of connections, 10 by default: few large transactions are faster than many small ones. */
  readonly maxConnections?: number
}

/** Connects on first use; closes its connections with the scope. */
export const layer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layer({
    url: options.url,
    maxConnections: options.maxConnections ?? 10,
    applicationName: "outdial",
    transformJson: false,
    // A listening connection sends nothing, and would not notice that the other end is gone.
    keepAlive: "10 seconds",
    startupParameters: {
      // The client has no timeout of its own. Far longer than a statement takes, or a caller waits.
      statement_timeout: "10s",
      // A node that freezes inside a transaction loses its locks.
      idle_in_transaction_session_timeout: "30s",
      // Statements are short: compiling takes longer than running, and tables without statistics look large.
      jit: "off",
      timezone: "UTC",
      ...(options.schema !== undefined && { search_path: quoted(options.schema) })
    }
  })

/** The quoted name, with any characters. */
const quoted = (name: string) => `"${name.replaceAll("\"", "\"\"")}"`
