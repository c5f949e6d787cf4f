/**
 * Starting and reading calls. What an account starts at the same time is written together: many calls cost little more than
 * one.
 */
import { Storage } from "@outdial/core"
import { Effect, Option, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { CallWrites } from "./CallWrites.ts"
import type { Database } from "./Database.ts"
import * as Grouping from "./Grouping.ts"
import * as IdempotencySql from "./IdempotencySql.ts"
import * as RequestsSql from "./RequestsSql.ts"
import * as StartSql from "./StartSql.ts"

type CallsSql = Pick<Storage.Storage["Service"], "startCall" | "getCall">

/** How often the call in the way may have moved on before its number is taken to be fought over. */
const attempts = 5

/** How long starts that are written together wait for a lock; whoever really has to wait does so alone. */
const patience = "50ms"

type Refused = Extract<StartSql.StartResult, { _tag: "Refused" }>
type StartFailure =
  | Refused
  | StartSql.NumberTaken
  | IdempotencySql.TwinAtWork
  | SqlError.SqlError
  | Storage.StorageError

export const make = Effect.fnUntraced(function*(
  database: Database,
  writes: CallWrites
): Effect.fn.Return<CallsSql, never, Scope.Scope> {
  const { sql, statement, transaction } = database
  const startAll = StartSql.make(database, writes)

  const startOne = Effect.fnUntraced(
    function*(start: StartSql.Start): Effect.fn.Return<StartSql.StartResult, StartFailure> {
      const [result] = yield* startAll([start])
      if (result === undefined) return yield* Effect.fail(IdempotencySql.twinAtWork)
      // Undone, so that an open transaction of the host's holds nothing of it, such as the lock on its key.
      return result._tag === "Refused" ? yield* Effect.fail(result) : result
    }
  )

  const alone = (start: StartSql.Start) =>
    transaction(startOne(start)).pipe(
      Effect.retry(whileTaken),
      IdempotencySql.afterTwin,
      Effect.catchTags({
        Refused: (refused) => Effect.succeed<StartSql.StartResult>(refused),
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
    return transaction(
      Effect.andThen(starts.length > 1 ? hurried : Effect.succeed([]), startAll(starts))
    ).pipe(
      Effect.retry(whileTaken),
      Effect.catchTags({ TwinAtWork: () => Effect.succeed([]), NumberTaken: () => Effect.succeed([]) })
    )
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
    getCall: Effect.fn("Storage.getCall")((accountId, id) =>
      statement(Effect.map(
        RequestsSql.callsOf(sql, accountId, [id]),
        (calls) => Option.fromUndefinedOr(calls.get(id))
      ))
    )
  }
})

/** Done again as a whole, or as a savepoint of the host's. */
const whileTaken = {
  times: attempts - 1,
  while: ({ _tag }: { readonly _tag: string }) => _tag === "NumberTaken"
}

const fought = "Calls to one number come and go too fast"
