/** What the loops have in common: a round goes through the accounts that have work due, and one that fails holds up no other. */
import { DateTime, Effect, Ref, Schedule } from "effect"
import { AccountId } from "../domain/Ids.ts"
import type { Storage, StorageError, WorkKind } from "../ports/Storage.ts"

/** Accounts served at a time: few claimers with large groups are the fastest. */
const concurrency = 4

/** Does the work of each account that has some due; answers how much was done. An account that fails is logged. */
export const forDueAccounts = Effect.fnUntraced(function*(
  storage: Storage["Service"],
  due: { readonly kind: WorkKind; readonly limit: number; readonly after?: AccountId },
  work: (accountId: AccountId) => Effect.Effect<number, StorageError>
) {
  const accounts = yield* storage.accountsDue({ ...due, now: yield* DateTime.now })
  const done = yield* Effect.forEach(
    accounts,
    (accountId) =>
      Effect.catch(
        work(accountId),
        (error) => Effect.as(Effect.logError(`The ${due.kind} work of ${accountId} failed; it comes again`, error), 0)
      ),
    { concurrency }
  )
  return done.reduce((sum, n) => sum + n, 0)
})

/** Smaller than every account's id. */
const beforeAll = AccountId.make("acct_0")

/**
 * Rounds in which accounts take turns: those behind the last one come first the next time, however much is due in front of
 * them.
 */
export const inTurn = (
  storage: Storage["Service"],
  due: { readonly kind: WorkKind; readonly limit: number },
  work: (accountId: AccountId) => Effect.Effect<number, StorageError>
): Effect.Effect<Effect.Effect<number, StorageError>> =>
  Effect.map(Ref.make(beforeAll), (turn) =>
    Effect.flatMap(Ref.get(turn), (after) =>
      forDueAccounts(
        storage,
        { ...due, after },
        (accountId) => Effect.andThen(Ref.set(turn, accountId), work(accountId))
      )))

/** Over ten seconds in which storage may come back, for results that would be a pity to lose. */
export const whileStorageReturns = { times: 7, schedule: Schedule.exponential("100 millis") }
