/**
 * Work of the engine inside a transaction that the host has opened with a client of its own. Guarantees that every statement of the
 * work goes over that client, below a savepoint, that the host's settings are afterwards what they were, and that a client which does
 * not answer is not waited for without limit.
 */
import { HostTransactions } from "@outdial/core"
import { Cause, Clock, Context, type Duration, Effect, Fiber, Layer, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Database from "../database/Database.ts"
import * as HostConnection from "./HostConnection.ts"

/** For `Outdial.open`, beside the storage on the same client. The tables must be there when it is built. */
export const layer: Layer.Layer<never, SqlError.SqlError, SqlClient.SqlClient> = Layer.effectContext(
  Effect.gen(function*() {
    const client = yield* SqlClient.SqlClient
    const tables = yield* findTables(client.withoutTransforms())
    // Two requests at the same time would release or undo each other's savepoints.
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

/** As the client's own transactions, of which the outermost is a savepoint, too: the transaction itself is the host's. */
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

/** How long a statement waits for a lock: as long as other requests try. A shorter timeout of the host's remains. */
const lockTimeout = "5s"

/**
 * Has the tables come first in the host's search path, and waits for no lock without limit, for as long as the work takes; undone with
 * its savepoint when it fails.
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
      // Else a temporary table of that name would be taken for ours.
      [`${schema}, pg_temp`, lockTimeout]
    )
    const done = yield* work
    yield* execute(
      "select set_config('search_path', $1, true) as path, set_config('lock_timeout', $2, true) as lock_timeout",
      [row?.["path"], row?.["lock_timeout"]]
    )
    return done
  })

// In real time on every engine clock, because the host's client is waited for.
const pause = (time: Duration.Input) =>
  Effect.provideService(Effect.sleep(time), Clock.Clock, Clock.Clock.defaultValue())

/** As `Database` waits for a unit: several locks may each be waited for. */
const requestLimit = "30 seconds"

/** How long an interrupted request waits for its statement, so that it can be undone in turn. */
const undoLimit = "100 millis"

/**
 * Gives up on a client that does not answer. A statement cannot be taken back, so what undoes the request is queued behind it: whatever
 * the host sends next comes later.
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

/** Whatever came of it: where the client rejected, that is why. */
const failingAs =
  ({ failure }: HostConnection.HostConnection) => <A, E, R>(work: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.catchCause(work, (cause): Effect.Effect<never, E | HostTransactions.HostTransactionError> => {
      const rejected = failure()
      // Without a rejection there is no SqlError in the cause, either.
      if (rejected === undefined || Cause.hasInterrupts(cause)) return Effect.failCause(cause as Cause.Cause<E>)
      const code = HostConnection.hasState(rejected.cause, noActiveTransaction)
        ? "not_in_transaction"
        : "transaction_failed"
      return Effect.fail(new HostTransactions.HostTransactionError({ code, cause: rejected.cause }))
    })

/** The SQL state with which a savepoint is refused. */
const noActiveTransaction = "25P01"
