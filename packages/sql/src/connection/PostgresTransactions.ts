/**
 * Runs the engine's work inside a transaction that the host has opened with its own client. Every statement runs on that client,
 * below a savepoint; the host's settings are restored afterwards; the wait for a client that does not answer is bounded.
 */
import { HostTransactions } from "@outdial/core"
import { Cause, Clock, Context, type Duration, Effect, Fiber, Layer, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Database from "../database/Database.ts"
import * as HostConnection from "./HostConnection.ts"

/** For `Outdial.open`, with the storage on the same client. The tables must exist when it is built. */
export const layer: Layer.Layer<never, SqlError.SqlError, SqlClient.SqlClient> = Layer.effectContext(
  Effect.gen(function*() {
    const client = yield* SqlClient.SqlClient
    const tables = yield* findTables(client.withoutTransforms())
    // Two concurrent requests would release or roll back each other's savepoints.
    const permits = new WeakMap<HostTransactions.HostClient, Semaphore.Semaphore>()
    const permitOf = (client: HostTransactions.HostClient) => {
      const permit = permits.get(client) ?? Semaphore.makeUnsafe(1)
      permits.set(client, permit)
      return permit
    }
    return Context.make(HostTransactions.HostTransactions, {
      within: (host, work) =>
        permitOf(host).withPermit(Effect.suspend(() => {
          const connection = HostConnection.make(host, tables.instants)
          const unit = unitOn(client, connection)
          return unit(Effect.provideService(withSettings(tables.schema, connection, work), Database.HostUnit, unit))
            .pipe(
              failingAs(connection),
              withTimeout(connection)
            )
        }))
    }) as Context.Context<never>
  })
)

interface Tables {
  /** The schema that has the tables, quoted. */
  readonly schema: string
  readonly instants: ReadonlySet<string>
}

const findTables = (sql: SqlClient.SqlClient): Effect.Effect<Tables, SqlError.SqlError> =>
  Effect.map(
    sql<{ readonly schema: string; readonly instants: ReadonlyArray<string> }>`
      select quote_ident(n.nspname) as schema, array(
        select distinct a.attname::text
        from pg_class as o
        join pg_attribute as a on a.attrelid = o.oid
        where o.relnamespace = c.relnamespace
          and o.relkind in ('r', 'p')
          and starts_with(o.relname, 'outdial_')
          and a.atttypid = 'timestamptz'::regtype
      ) as instants
      from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
      where c.oid = 'outdial_accounts'::regclass`,
    ([row]) => ({ schema: row?.schema ?? "", instants: new Set(row?.instants) })
  )

/** Like the client's own transactions, but the outermost is also a savepoint: the transaction is the host's. */
const unitOn = (client: SqlClient.SqlClient, { connection, execute }: HostConnection.HostConnection): Database.Unit => {
  const run = (sql: string) => Effect.asVoid(execute(sql))
  const [begin, release, undo] = ["savepoint", "release savepoint", "rollback to savepoint"].map(
    (command) => (id: number) => run(`${command} outdial_${id}`)
  ) as [Control, Control, Control]
  const rollback = (id: number) => Effect.andThen(undo(id), release(id))
  return SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes: [["db.system.name", "postgresql"]],
    acquireConnection: () => Effect.succeed(connection),
    begin: () => begin(0),
    commit: () => release(0),
    onCommitFailure: () => rollback(0),
    rollback: () => rollback(0),
    savepoint: (_, id) => begin(id),
    releaseSavepoint: (_, id) => release(id),
    rollbackSavepoint: (_, id) => undo(id)
  })
}

type Control = (id: number) => Effect.Effect<void, SqlError.SqlError>

/** How long a statement waits for a lock: as long as other requests retry. A shorter timeout of the host stays. */
const lockTimeout = "5s"

/**
 * Puts the tables first in the host's search path and bounds waits for locks while the work runs; a failure restores both with its
 * savepoint.
 */
const withSettings = <A, E, R>(
  schema: string,
  { execute }: HostConnection.HostConnection,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.gen(function*() {
    const [row] = yield* execute(
      `with host as materialized (
        select current_setting('search_path') as path, current_setting('lock_timeout') as lock_timeout
      )
      select host.path, host.lock_timeout, set_config('search_path', $1, true) as ours,
        set_config('lock_timeout', case
          when host.lock_timeout::interval between '1 microsecond'::interval and $2::interval then host.lock_timeout
          else $2
        end, true) as our_lock_timeout
      from host`,
      // Otherwise a temporary table of the same name would be used.
      [`${schema}, pg_temp`, lockTimeout]
    )
    const done = yield* work
    yield* execute(
      "select set_config('search_path', $1, true) as path, set_config('lock_timeout', $2, true) as lock_timeout",
      [row?.["path"], row?.["lock_timeout"]]
    )
    return done
  })

// In real time on every engine clock, because the host's client is outside the engine.
const pause = (time: Duration.Input) =>
  Effect.provideService(Effect.sleep(time), Clock.Clock, Clock.Clock.defaultValue())

/** As in `Database`: a request may wait for several locks. */
const requestLimit = "30 seconds"

/** How long an interrupted request waits for its statement before the rollback. */
const undoLimit = "100 millis"

/**
 * Gives up on a client that does not answer. A statement cannot be canceled, so the rollback is queued after it, before anything that
 * the host sends next.
 */
const withTimeout =
  ({ abandon }: HostConnection.HostConnection) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | HostTransactions.HostTransactionError, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.callback((resume) => {
        const run = Effect.runForkWith(context)
        const working = run(work)
        const giveUp = () => {
          if (working.pollUnsafe() === undefined) {
            abandon(["rollback to savepoint outdial_0", "release savepoint outdial_0"])
          }
          working.interruptUnsafe()
        }
        const waiting = run(Effect.andThen(
          pause(requestLimit),
          Effect.sync(() => {
            giveUp()
            resume(Effect.fail(
              new HostTransactions.HostTransactionError({
                code: "transaction_failed",
                cause: new Error(`The client did not answer within ${requestLimit}`)
              })
            ))
          })
        ))
        working.addObserver((exit) => {
          waiting.interruptUnsafe()
          resume(exit)
        })
        return Effect.gen(function*() {
          working.interruptUnsafe()
          waiting.interruptUnsafe()
          yield* Effect.raceFirst(Fiber.await(working), pause(undoLimit))
          giveUp()
        })
      })
    )

/** If the client rejected, that is the reason of any failure. */
const failingAs =
  ({ failure }: HostConnection.HostConnection) => <A, E, R>(work: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.catchCause(work, (cause): Effect.Effect<never, E | HostTransactions.HostTransactionError> => {
      const rejected = failure()
      // Without a rejection the cause contains no SqlError.
      if (rejected === undefined || Cause.hasInterrupts(cause)) return Effect.failCause(cause as Cause.Cause<E>)
      const code = HostConnection.hasState(rejected.cause, noActiveTransaction)
        ? "not_in_transaction"
        : "transaction_failed"
      return Effect.fail(new HostTransactions.HostTransactionError({ code, cause: rejected.cause }))
    })

/** The SQL state that rejects a savepoint outside of a transaction. */
const noActiveTransaction = "25P01"
