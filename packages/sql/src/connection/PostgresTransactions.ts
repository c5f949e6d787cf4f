/**
 * Work of the engine inside a transaction that the host has opened with a client of its own. Guarantees that every statement of the
 * work goes over that client, below a savepoint, and that the host's settings are afterwards what they were.
 */
import { HostTransactions } from "@outdial/core"
import { Cause, Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Database from "../database/Database.ts"
import * as HostConnection from "./HostConnection.ts"

/** For `Outdial.open`, beside the storage on the same client. The tables must be there when it is built. */
export const layer: Layer.Layer<never, SqlError.SqlError, SqlClient.SqlClient> = Layer.effectContext(
  Effect.gen(function*() {
    const client = yield* SqlClient.SqlClient
    const place = yield* findPlace(client.withoutTransforms())
    // Two requests at the same time would release or undo each other's savepoints.
    const turns = new WeakMap<HostTransactions.HostClient, Semaphore.Semaphore>()
    const turnOf = (client: HostTransactions.HostClient) => {
      const turn = turns.get(client) ?? Semaphore.makeUnsafe(1)
      turns.set(client, turn)
      return turn
    }
    return Context.make(HostTransactions.HostTransactions, {
      within: (host, work) =>
        turnOf(host).withPermit(Effect.suspend(() => {
          const connection = HostConnection.make(host, place.instants)
          const unit = unitOn(client, connection)
          return unit(Effect.provideService(inSchema(place.schema, connection, work), Database.HostUnit, unit)).pipe(
            failingAs(connection)
          )
        }))
    }) as Context.Context<never>
  })
)

interface Place {
  /** The schema that has the tables, quoted. */
  readonly schema: string
  readonly instants: ReadonlySet<string>
}

const findPlace = (sql: SqlClient.SqlClient): Effect.Effect<Place, SqlError.SqlError> =>
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

/** Has the tables come first in the host's search path for as long as the work takes; undone with its savepoint when it fails. */
const inSchema = <A, E, R>(
  schema: string,
  { execute }: HostConnection.HostConnection,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.gen(function*() {
    const [row] = yield* execute(
      `with host as materialized (select current_setting('search_path') as path)
      select host.path, set_config('search_path', $1, true) from host`,
      // Else a temporary table of that name would be taken for ours.
      [`${schema}, pg_temp`]
    )
    const done = yield* work
    yield* execute("select set_config('search_path', $1, true)", [row?.["path"]])
    return done
  })

/** Whatever came of it: where the client rejected, that is why. */
const failingAs =
  ({ failure }: HostConnection.HostConnection) => <A, E, R>(work: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.catchCause(work, (cause): Effect.Effect<never, E | HostTransactions.HostTransactionError> => {
      const rejected = failure()
      // Without a rejection there is no SqlError in the cause, either.
      if (rejected === undefined || Cause.hasInterrupts(cause)) return Effect.failCause(cause as Cause.Cause<E>)
      const code = isOutsideTransaction(rejected.cause) ? "not_in_transaction" : "transaction_failed"
      return Effect.fail(new HostTransactions.HostTransactionError({ code, cause: rejected.cause }))
    })

/** "No active SQL transaction", as a savepoint is refused with. Clients wrap what the server said, each in its own way. */
const isOutsideTransaction = (error: unknown, depth = 0): boolean =>
  typeof error === "object" && error !== null && depth < 5 &&
  [...Object.values(error), error instanceof Error ? error.cause : undefined].some((value) =>
    value === "25P01" || isOutsideTransaction(value, depth + 1)
  )
