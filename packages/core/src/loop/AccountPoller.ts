/** Common code of the loops: a round serves the accounts with due work, and an account that fails does not block the others. */
import { Clock, DateTime, Effect, Ref, Schedule } from "effect"
import { AccountId, type CarrierName } from "../domain/Ids.ts"
import * as Metrics from "../observe/Metrics.ts"
import type { Woken } from "./Wakeups.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { WorkKind, WorkStore } from "../storage/WorkStore.ts"

/** Accounts served at a time: few claimers with large groups are the fastest. */
const concurrency = 4

/** The work of a round. */
interface Due {
  readonly kind: WorkKind
  readonly limit: number
  readonly after?: AccountId
  /** Only for `lease`. */
  readonly carriers?: ReadonlyArray<CarrierName>
}

type Work = (accountId: AccountId) => Effect.Effect<number, StorageError>

/** Does the work of each account with due work; returns how much was done. An account that fails is logged. */
export const forDueAccounts = Effect.fnUntraced(function*(workStore: WorkStore["Service"], due: Due, work: Work) {
  const accounts = yield* workStore.accountsDue({ ...due, now: yield* DateTime.now })
  return sum(yield* serve(accounts, due.kind, work))
})

/** Does the work of these accounts; returns how much was done for each. */
const serve = (accounts: ReadonlyArray<AccountId>, kind: WorkKind, work: Work) =>
  Effect.forEach(
    accounts,
    (accountId) =>
      Effect.catch(
        work(accountId),
        (error) =>
          Effect.logError(`The ${kind} work of ${accountId} failed; it is retried`, error).pipe(
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
 * Rounds in which accounts take turns: the next round starts after the last account served, however much work earlier
 * accounts have.
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

/** How long backlogged accounts are served before all accounts are polled again, when some may not have been woken. */
const repollMillis = 50

/** How long only woken and backlogged accounts are served: as long as a loop sleeps without a wake-up. */
const wokenOnlyMillis = 1000

/** How long all accounts are polled after an empty poll, because an account without free lines is woken by each of its calls. */
const emptyPollMillis = 10

/** Serves the accounts with due work, all of them or only the woken ones. */
export interface AccountPoller {
  readonly runOnce: Effect.Effect<number, StorageError>
  /**
   * Serves the woken and the backlogged accounts without asking storage which accounts have work. That query would come
   * first in the latency of a call in an idle engine.
   */
  readonly runFor: (woken: Woken) => Effect.Effect<number, StorageError>
}

/**
 * Serves an account again, without asking storage which accounts have work, as long as it fills a group of `group`. The
 * query reads every account, and dead rows since the last vacuum.
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
        // After a recent poll, `runOnce` serves the backlogged accounts and not the woken ones.
        isMore = true
        return yield* runOnce
      }
      const accounts = [...new Set([...backlogged, ...woken])]
      const done = yield* serveAll(accounts)
      if (accounts.length > 0 && done === 0) emptyAt = now
      // An account without work waits for a wake-up, and accounts that the last poll had no room for would get none.
      return done === 0 && isMore ? yield* runOnce : done
    })
    return { runOnce, runFor }
  })

/** Retries for over ten seconds while storage may return, for results that must not be lost. */
export const whileStorageReturns = { times: 7, schedule: Schedule.exponential("100 millis") }
