/**
 * A connection pool to Postgres with the settings that Outdial counts on. A host that has its own `PgClient` needs none of
 * this.
 */
import { PgClient } from "@effect/sql-pg"
import type { Layer, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export interface Options {
  /** `postgres://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** Comes first in the search path in place of the role's own, so that everything is kept there; migrations make it. */
  readonly schema?: string
  /** Most connections at once, 10 by default: few large units of work are faster than many small ones. */
  readonly maxConnections?: number
}

/** Connects when first used; closes its connections with the scope. */
export const layer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layer({
    url: options.url,
    maxConnections: options.maxConnections ?? 10,
    applicationName: "outdial",
    transformJson: false,
    // Who listens sends nothing, and would not find out that the other end is gone.
    keepAlive: "10 seconds",
    startupParameters: {
      // The client has no timeout of its own. Far above what a statement takes, and what a caller waits for.
      statement_timeout: "10s",
      // A node that froze inside a transaction gives its locks back.
      idle_in_transaction_session_timeout: "30s",
      // Statements here are short: compiling one takes longer than running it, and tables without statistics look large.
      jit: "off",
      timezone: "UTC",
      ...(options.schema !== undefined && { search_path: quoted(options.schema) })
    }
  })

/** The name as SQL reads it, whatever characters it has. */
const quoted = (name: string) => `"${name.replaceAll("\"", "\"\"")}"`
