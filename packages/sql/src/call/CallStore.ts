/**
 * Calls and batches. Concurrent starts of single calls of one account are batched here (group commit), so that many calls cost little
 * more than one. The other operations have their own files.
 */
import { LazySpan, Storage } from "@outdial/core"
import { Effect, Option, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { CallWriter } from "./CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as WriteBatcher from "../database/WriteBatcher.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"
import * as Batches from "./Batches.ts"
import * as CallsWithoutCost from "./CallsWithoutCost.ts"
import * as Cancel from "./Cancel.ts"
import * as CompleteBatches from "./CompleteBatches.ts"
import * as HangUp from "./HangUp.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as ListCalls from "./ListCalls.ts"
import * as CallRequests from "./CallRequests.ts"
import * as StartCalls from "./StartCalls.ts"

/** How often a start is tried while the call that has its number keeps changing. */
const attempts = 5

type Refused = Extract<StartCalls.StartResult, { _tag: "Refused" }>
type StartFailure =
  | Refused
  | StartCalls.NumberTaken
  | IdempotencyKeys.KeyInFlight
  | SqlError.SqlError
  | Storage.StorageError

export const make: (
  database: Database,
  writes: CallWriter
) => Effect.Effect<Storage.CallStore["Service"], never, Scope.Scope> = Effect.fnUntraced(function*(database, writes) {
  const { sql, statement, transaction } = database
  const facts = ReadDialFacts.make(database)
  const startAll = StartCalls.make(database, writes)

  const startOne = Effect.fnUntraced(
    function*(start: StartCalls.Start): Effect.fn.Return<StartCalls.StartResult, StartFailure> {
      const [result] = yield* startAll([start])
      if (result === undefined) return yield* Effect.fail(IdempotencyKeys.keyInFlight)
      // Rolled back, so that a host's open transaction keeps no lock of it, such as the one on its key.
      return result._tag === "Refused" ? yield* Effect.fail(result) : result
    }
  )

  const ambient = (start: StartCalls.Start) =>
    transaction(startOne(start)).pipe(
      Effect.retry(whileTaken),
      IdempotencyKeys.retryWhileKeyInFlight,
      Effect.catchTags({
        Refused: (refused) => Effect.succeed<StartCalls.StartResult>(refused),
        KeyInFlight: () => Effect.succeed(keyInUse),
        NumberTaken: () => conflict("Calls to the number kept changing")
      })
    )

  /** All or none. Fails instead of waiting for a lock that is held for longer. */
  const batch = (starts: StartCalls.Starts, lockTimeout: string) => {
    const [{ rules }] = starts
    if (starts.some((start) => start.rules !== rules)) return conflict("Engines with different rules for the day")
    return transaction(startAll(starts, lockTimeout)).pipe(
      Effect.retry(whileTaken),
      Effect.catchTags({
        KeyInFlight: () => conflict("Several requests with one idempotency key"),
        NumberTaken: () => conflict("Calls to the number kept changing")
      })
    )
  }

  const start = yield* WriteBatcher.make(database, {
    keyOf: ({ accountId }: StartCalls.Start) => accountId,
    batch,
    ambient,
    fallback: () => Effect.succeed(keyInUse)
  })

  return {
    ...ListCalls.make(database),
    ...Cancel.make(database, writes),
    ...HangUp.make(database, writes),
    ...Batches.make(database, writes),
    ...CompleteBatches.make(database, writes),
    ...CallsWithoutCost.make(database),
    sharedPeriods: Effect.fn("CallStore.sharedPeriods")((accountId, lanes) =>
      statement(SharedPeriods.make(database).read(accountId, lanes))
    ),

    dialFacts: Effect.fn("CallStore.dialFacts")((options) =>
      statement(Effect.map(facts.snapshot(options), ({ snapshot }) => snapshot))
    ),
    start: LazySpan.fn("CallStore.start")(<Refusal>(options: Storage.StartOptions<Refusal>) =>
      // The refusal comes from the request's own plan, so it has that type.
      start(options) as Effect.Effect<Storage.StartResult<Refusal>, Storage.StorageError>
    ),
    get: Effect.fn("CallStore.get")((accountId, id) =>
      statement(Effect.map(
        CallRequests.callsOf(sql, accountId, [id]),
        (calls) => Option.fromUndefinedOr(calls.get(id))
      ))
    )
  }
})

/** Repeats the whole, or the savepoint in a host's transaction. */
const whileTaken = {
  times: attempts - 1,
  while: ({ _tag }: { readonly _tag: string }) => _tag === "NumberTaken"
}

const keyInUse: StartCalls.StartResult = { _tag: "KeyInUse" }

const conflict = (why: string) => Effect.fail(new Storage.StorageError({ reason: "conflict", cause: new Error(why) }))
