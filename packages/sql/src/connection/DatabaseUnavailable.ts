/** The error of a database that cannot be used: it is unreachable, or it rejects the connection. */
import { Effect, Layer, Schema } from "effect"
import { NotMigrated } from "./Schemas.ts"

/** The database could not be opened. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  code: Schema.tag("database_unavailable"),
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = innermost(this.cause)
    return `The database cannot be used (${why}). Is Postgres running, and is its address (DATABASE_URL) right?`
  }
}

/** The innermost message of a driver's error: the outer ones only say that something failed. */
const innermost = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const reason: unknown = "reason" in error ? error.reason : undefined
  const inner = error.cause ?? (reason instanceof Error ? reason : undefined)
  const text = inner === undefined ? "" : innermost(inner)
  return text === "" ? error.message || error.name : text
}

/** Turns every failure to build a database layer into `DatabaseUnavailable`, except missing tables. */
export const explained = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, DatabaseUnavailable | NotMigrated, R> =>
  Layer.catch(
    layer,
    (cause) =>
      Layer.effectContext(Effect.fail(cause instanceof NotMigrated ? cause : new DatabaseUnavailable({ cause })))
  )
