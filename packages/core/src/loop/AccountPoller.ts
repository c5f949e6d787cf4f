/** What the loops have in common: a round goes through the accounts that have work due, and one that fails holds up no other. */
import { Clock, DateTime, Effect, Ref, Schedule } from "effect"
import { AccountId, type CarrierName } from "../domain/Ids.ts"
import * as Metrics from "../observe/Metrics.ts"
import type { Woken } from "./Wakeups.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { WorkKind, WorkStore } from "../storage/WorkStore.ts"

/** Accounts served at a time: few claimers with large groups are the fastest. */
const concurrency = 4

/** What a round goes through. */
interface Due {
  readonly kind: WorkKind
  readonly limit: number
  readonly after?: AccountId
  /** Only for `lease`. */
  readonly carriers?: ReadonlyArray<CarrierName>
}

type Work = (accountId: AccountId) => Effect.Effect<number, StorageError>

/** Does the work of each account that has some due; answers how much was done. An account that fails is logged. */
export const forDueAccounts = Effect.fnUntraced(function*(workStore: WorkStore["Service"], due: Due, work: Work) {
  const accounts = yield* workStore.accountsDue({ ...due, now: yield* DateTime.now })
  return sum(yield* serve(accounts, due.kind, work))
})

/** Does the work of these accounts; answers how much was done for each. */
const serve = (accounts: ReadonlyArray<AccountId>, kind: WorkKind, work: Work) =>
  Effect.forEach(
    accounts,
    (accountId) =>
      Effect.catch(
        work(accountId),
        (error) =>
          Effect.logError(`The ${kind} work of ${accountId} failed; it comes again`, error).pipe(
            Effect.andThen(Metrics.loopFailed(kind)),
            Effect.as(0)
          )
      ),
    { concurrency }
  )

const sum = (done: ReadonlyArray<number>) => done.reduce((all, n) => all + n, 0)

/** Smaller than every account's id. */
const firstCursor = AccountId.make("acct_0")

/**
 * Rounds in which accounts take turns: those behind the last one come first the next time, however much is due in front of
 * them.
 */
export const roundRobin = (
  workStore: WorkStore["Service"],
  due: Omit<Due, "after">,
  work: Work
): Effect.Effect<Effect.Effect<number, StorageError>> =>
  Effect.map(Ref.make(firstCursor), (turn) =>
    Effect.flatMap(Ref.get(turn), (after) =>
      forDueAccounts(
        workStore,
        { ...due, after },
        (accountId) => Effect.andThen(Ref.set(turn, accountId), work(accountId))
      )))

/** How long those that have more to do are served before the others are asked for, where they may not all have been woken. */
const repollMillis = 50

/** How long those that were woken, and those that have more to do, are served alone: as long as a loop sleeps that nobody wakes. */
const wokenOnlyMillis = 1000

/** How long it is asked after a look in vain: whose lines are busy is woken by every call that it starts. */
const emptyPollMillis = 10

/** Rounds for everybody who has work, and for those who may have some. */
export interface AccountPoller {
  readonly runOnce: Effect.Effect<number, StorageError>
  /**
   * Looks at those accounts, and at those that had more to do, without asking who has work, which comes first in what a call waits
   * for in an idle engine.
   */
  readonly runFor: (woken: Woken) => Effect.Effect<number, StorageError>
}

/**
 * Rounds that serve an account again, without asking who has work, for as long as it fills its group of `group`: asking looks
 * at every account, and at all that has been done since the database last cleaned up.
 */
export const pollWhileBacklogged = (
  workStore: WorkStore["Service"],
  { group, ...due }: Omit<Due, "after"> & { readonly group: number },
  work: Work
): Effect.Effect<AccountPoller> =>
  Effect.sync(() => {
    let backlogged: ReadonlyArray<AccountId> = []
    let after = firstCursor
    let polledAt = -Infinity
    let emptyAt = -Infinity
    /** More may have work than the last answer named: it had no room for them, or they were woken since. */
    let isMore = false
    const serveAll = Effect.fnUntraced(function*(accounts: ReadonlyArray<AccountId>) {
      const done = yield* serve(accounts, due.kind, work)
      backlogged = accounts.filter((_, index) => (done[index] ?? 0) >= group)
      return sum(done)
    })
    const runOnce = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (backlogged.length > 0 && now - polledAt < repollMillis) {
        const done = yield* serveAll(backlogged)
        if (done > 0) return done
      }
      polledAt = now
      const accounts = yield* workStore.accountsDue({ ...due, after, now: yield* DateTime.now })
      after = accounts[accounts.length - 1] ?? after
      isMore = accounts.length === due.limit
      return yield* serveAll(accounts)
    })
    const runFor = Effect.fnUntraced(function*(woken: Woken) {
      const now = yield* Clock.currentTimeMillis
      const isWokenOnly = now - polledAt < (isMore ? repollMillis : wokenOnlyMillis) && now - emptyAt >= emptyPollMillis
      if (woken === undefined || woken.size > due.limit || !isWokenOnly) {
        // Where it has just been asked, that serves those that have more to do, and not whoever was woken.
        isMore = true
        return yield* runOnce
      }
      const accounts = [...new Set([...backlogged, ...woken])]
      const done = yield* serveAll(accounts)
      if (accounts.length > 0 && done === 0) emptyAt = now
      // Who finds nothing sleeps, and nobody would wake it for those that the last answer had no room for.
      return done === 0 && isMore ? yield* runOnce : done
    })
    return { runOnce, runFor }
  })

/** Over ten seconds in which storage may come back, for results that would be a pity to lose. */
export const whileStorageReturns = { times: 7, schedule: Schedule.exponential("100 millis") }
