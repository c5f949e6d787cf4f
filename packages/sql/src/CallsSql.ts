/**
 * Starting and reading calls. What an account starts at the same time is written together: many calls cost little more than
 * one.
 */
import { type Ids, Storage } from "@outdial/core"
import { Effect, Option, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import * as CallRows from "./CallRows.ts"
import type { CallWrites } from "./CallWrites.ts"
import type { Database } from "./Database.ts"
import { notErased } from "./ErasedCallees.ts"
import * as Grouping from "./Grouping.ts"
import * as IdempotencySql from "./IdempotencySql.ts"
import * as RequestsSql from "./RequestsSql.ts"
import * as StartSql from "./StartSql.ts"

type CallsSql = Pick<Storage.Storage["Service"], "startCall" | "getCall">

/** How often the call in the way may have moved on before its number is taken to be fought over. */
const attempts = 5

/** How long starts that are written together wait for a lock; whoever really has to wait does so alone. */
const patience = "50ms"

type StartFailure = StartSql.NumberTaken | IdempotencySql.TwinAtWork | SqlError.SqlError | Storage.StorageError

export const make = Effect.fnUntraced(function*(
  database: Database,
  writes: CallWrites
): Effect.fn.Return<CallsSql, never, Scope.Scope> {
  const { sql, statement, transaction } = database
  const startAll = StartSql.make(database, writes)

  const started = (starts: StartSql.Starts, setting: Effect.Effect<unknown, SqlError.SqlError> = Effect.void) =>
    // Done again as a whole, or as a savepoint of the host's, when another request has taken a number meanwhile.
    transaction<ReadonlyArray<StartSql.StartResult | undefined>, StartFailure>(
      Effect.andThen(setting, startAll(starts))
    ).pipe(
      Effect.retry({ times: attempts - 1, while: ({ _tag }) => _tag === "NumberTaken" })
    )

  const alone = (start: StartSql.Start) =>
    Effect.flatMap(
      started([start]),
      ([result]) => result === undefined ? Effect.fail(IdempotencySql.twinAtWork) : Effect.succeed(result)
    ).pipe(
      IdempotencySql.afterTwin,
      Effect.catchTags({
        TwinAtWork: () => Effect.succeed<StartSql.StartResult>({ _tag: "KeyInUse" }),
        NumberTaken: () => new Storage.StorageError({ reason: "conflict", cause: new Error(fought) })
      })
    )

  const hurried = sql`select set_config('lock_timeout', ${patience}, true)`

  /** Leaves all to be done alone when somebody would have to be waited for. */
  const together = (starts: StartSql.Starts) => {
    const [{ rules }] = starts
    // Engines in one process may count the day by different rules.
    if (starts.some((start) => start.rules !== rules)) return Effect.succeed([])
    return Effect.catchTags(started(starts, starts.length > 1 ? hurried : Effect.void), {
      TwinAtWork: () => Effect.succeed([]),
      NumberTaken: () => Effect.succeed([])
    })
  }

  const start = yield* Grouping.make(database, {
    keyOf: ({ accountId }: StartSql.Start) => accountId,
    together,
    alone
  })

  return {
    startCall: Effect.fn("Storage.startCall")(<Refusal>(options: Storage.StartOptions<Refusal>) =>
      // What it is refused with, its own plan has said.
      start(options) as Effect.Effect<Storage.StartResult<Refusal>, Storage.StorageError>
    ),
    getCall: Effect.fn("Storage.getCall")((accountId: Ids.AccountId, id: Ids.CallId) =>
      // Index: primary key. A plain read.
      statement(Effect.map(
        sql<CallRows.CallRow>`
          select c.*, q.*
          from outdial_calls as c
          ${RequestsSql.join(sql, accountId)}
          where c.account_id = ${accountId}
            and c.id = ${id}
            and ${notErased(sql, "c")}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), CallRows.toCall)
      ))
    )
  }
})

const fought = "Calls to one number come and go too fast"
