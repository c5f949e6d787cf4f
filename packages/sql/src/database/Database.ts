/**
 * Runs SQL as units of work on the host's `SqlClient`. A unit is atomic, also as a savepoint inside the host's own
 * transaction. Callers see a `StorageError` for a failure and a defect for a bug.
 */
import { Storage } from "@outdial/core"
import { Cause, Clock, Context, Effect, Fiber, Metric, Option } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { conflicts } from "./StorageMetrics.ts"

export interface Database {
  /** The host's client, with column names as in the tables, whatever the host configured. */
  readonly sql: SqlClient.SqlClient
  /** Runs one statement, which is atomic. */
  readonly statement: <A, E>(effect: Effect.Effect<A, E | SqlError.SqlError>) => Run<A, E>
  /** Runs several statements atomically. A failure rolls back these, and nothing else of the host's transaction. */
  readonly transaction: <A, E>(effect: Effect.Effect<A, E | SqlError.SqlError>) => Run<A, E>
  /** Whether the fiber is already in a transaction; outside of units of work that is the host's. */
  readonly inTransaction: Effect.Effect<boolean>
}

/** Runs statements as one. */
export type Unit = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Runs units of work inside a transaction that the host has opened with its own client. */
export const HostUnit = Context.Reference<Unit | undefined>("@outdial/sql/database/Database/HostUnit", {
  defaultValue: () => undefined
})

type Run<A, E> = Effect.Effect<A, Exclude<E, SqlError.SqlError> | Storage.StorageError>

/** The index that allows one queued call per number. Transactions that conflict there retry and see each other. */
export const oneWaiting = "outdial_calls_one_queued"

/** Immediate retries after a conflict. Each retry sees another state, so a fourth conflict is unlikely. */
const retries = 3

/**
 * How many stale prepared statements a unit may meet, each once per connection: a migration has added a column to a table
 * that this version still reads. The client prepares a statement again after it failed.
 */
const staleStatements = 50

/**
 * The timeout of a unit, in real time on every engine clock. Postgres ends a statement after ten seconds, but a connection that
 * was lost silently would block its loop until the operating system closes it, a quarter of an hour later.
 */
const timeout = Effect.provideService(Effect.sleep("30 seconds"), Clock.Clock, Clock.Clock.defaultValue())

/** A caller that times out does not wait for the unit to end: a silent connection cannot end its transaction. */
const withTimeout = <A, E>(unit: Run<A, E>): Run<A, E> =>
  Effect.withFiber((parent) =>
    Effect.callback((resume) => {
      const run = Effect.runForkWith(parent.context)
      const working = run(unit)
      const waiting = run(Effect.andThen(
        timeout,
        Effect.sync(() => {
          resume(Effect.fail(
            new Storage.StorageError({ reason: "unavailable", cause: new Error("The database does not answer") })
          ))
          working.interruptUnsafe()
        })
      ))
      working.addObserver((exit) => {
        waiting.interruptUnsafe()
        resume(exit)
      })
      return Fiber.interruptAll([working, waiting])
    })
  )

export const make = (client: SqlClient.SqlClient): Database => {
  const sql = client.withoutTransforms()
  const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  const run = <A, E>(effect: Effect.Effect<A, E | SqlError.SqlError>): Run<A, E> => {
    const translated = translate(effect)
    // In the host's transaction a conflict is the host's: only the host can repeat the whole transaction.
    return Effect.flatMap(
      inTransaction,
      (nested) =>
        nested
          ? translated
          : countConflicts(withTimeout(translated)).pipe(
            Effect.retry({ times: retries, while: isRetryable }),
            Effect.retry({ times: staleStatements, while: isStale })
          )
    )
  }

  return {
    sql,
    inTransaction,
    statement: run,
    transaction: (effect) =>
      run(
        Effect.flatMap(HostUnit, (unit = sql.withTransaction) => unit(effect)).pipe(
          // A read after a lock needs a snapshot taken after the lock, whatever the database's default isolation is.
          Effect.provideService(SqlClient.BeginTransaction, "begin isolation level read committed")
        )
      )
  }
}

const countConflicts = <A, E>(run: Run<A, E>): Run<A, E> =>
  Effect.tapError(run, (error) => isRetryable(error) ? Metric.update(conflicts, 1) : Effect.void)
const isStale = (error: unknown): boolean =>
  error instanceof Storage.StorageError && SqlError.isSqlError(error.cause) && isStalePlan(error.cause.reason.cause)

/** A lock timeout is not retried: the caller has waited long enough. */
const isRetryable = (error: unknown): boolean =>
  error instanceof Storage.StorageError && error.reason === "conflict" &&
  !(SqlError.isSqlError(error.cause) && error.cause.reason._tag === "LockTimeoutError")

const translate = <A, E>(effect: Effect.Effect<A, E | SqlError.SqlError>): Run<A, E> =>
  Effect.catchCause(effect, (cause): Run<never, E> => {
    const error = Cause.hasInterrupts(cause) ? undefined : findSqlError(cause)
    // No SqlError was found, so the type excludes it.
    if (error === undefined) return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError.SqlError>>)
    const reason = reasonOf(error)
    return reason === "bug" ? Effect.die(error) : Effect.fail(new Storage.StorageError({ reason, cause: error }))
  })

/** A lost connection also fails the rollback, which the client reports as a defect that hides the first failure. */
const findSqlError = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason) && SqlError.isSqlError(reason.error)) return reason.error
    if (Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect)) return reason.defect
  }
  return undefined
}

const reasonOf = ({ reason }: SqlError.SqlError): Storage.StorageError["reason"] | "bug" => {
  switch (reason._tag) {
    case "DeadlockError":
    case "SerializationError":
    case "LockTimeoutError":
      return "conflict"
    case "UniqueViolation":
      return reason.constraint === oneWaiting ? "conflict" : "bug"
    case "ConstraintError":
    case "SqlSyntaxError":
      return "bug"
    case "UnknownError":
      if (isStalePlan(reason.cause)) return "conflict"
      return isDataException(reason.cause) ? "bug" : "unavailable"
    case "AuthenticationError":
    case "AuthorizationError":
    case "ConnectionError":
    case "StatementTimeoutError":
      return "unavailable"
    default:
      return reason satisfies never
  }
}

/** Class 22 of the SQL states, data exceptions: a bug of the statement. */
const isDataException = (cause: unknown): boolean => codeOf(cause)?.startsWith("22") === true

/** "Cached plan must not change result type", which has no SQL state of its own. */
const isStalePlan = (cause: unknown): boolean =>
  codeOf(cause) === "0A000" && cause instanceof Error && cause.message.startsWith("cached plan")

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
