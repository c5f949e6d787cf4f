/** What the loops have in common: a round goes through the accounts that have work due, and one that fails holds up no other. */
import { DateTime, Effect, Schedule } from "effect"
import type { AccountId } from "../domain/Ids.ts"
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

/** Over ten seconds in which storage may come back, for results that would be a pity to lose. */
export const whileStorageReturns = { times: 7, schedule: Schedule.exponential("100 millis") }
