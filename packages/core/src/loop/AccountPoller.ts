/** Common code of the loops: serves the accounts with due work, and an account that fails does not block the others. */
import { Clock, DateTime, Effect, Schedule } from "effect"
import { AccountId, type CarrierName } from "../domain/Ids.ts"
import * as Metrics from "../observe/Metrics.ts"
import type { Woken } from "./Wakeups.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { WorkKind, WorkStore } from "../storage/WorkStore.ts"

/** Accounts served at a time: few claimers with large groups are the fastest. */
const concurrency = 4

interface Due {
  readonly kind: WorkKind
  /** Maximum number of accounts in one poll. */
  readonly limit: number
  /** Only for `dial` and `lease`. */
  readonly carriers?: ReadonlyArray<CarrierName>
  /** Only for `dial`. */
  readonly hasRoutes?: boolean
}

/** Does work of the account; returns how much. */
type Work = (accountId: AccountId) => Effect.Effect<number, StorageError>

/** Does the work of the accounts that are longest overdue; returns how much was done. An account that fails is logged. */
export const forDueAccounts = Effect.fnUntraced(function*(workStore: WorkStore["Service"], due: Due, work: Work) {
  const accounts = yield* workStore.accountsDue({ ...due, now: yield* DateTime.now })
  return sum(yield* serve(accounts, due.kind, work))
})

/** Does the work of these accounts; returns how much was done for each. */
const serve = (accounts: Iterable<AccountId>, kind: WorkKind, work: Work) =>
  Effect.forEach(
    accounts,
    (accountId) => attempt(kind, accountId, work(accountId)),
    { concurrency }
  )

/** The work of an account, which is logged if it fails. */
export const attempt = (
  kind: WorkKind,
  accountId: AccountId,
  work: Effect.Effect<number, StorageError>
): Effect.Effect<number> =>
  Effect.catch(
    work,
    (error) =>
      Effect.logError(`The ${kind} work of ${accountId} failed; it is retried`, error).pipe(
        Effect.andThen(Metrics.loopFailed(kind)),
        Effect.as(0)
      )
  )

const sum = (done: ReadonlyArray<number>) => done.reduce((all, n) => all + n, 0)

/** Smaller than every account's id. */
const firstCursor = AccountId.make("acct_0")

/**
 * Asks storage which accounts have due work, and serves them in turn: the next poll starts after the last account of this one,
 * however much work earlier accounts have. Returns how much was done for each.
 */
const makePoll = (workStore: WorkStore["Service"], due: Due, work: Work) => {
  let after = firstCursor
  return Effect.gen(function*() {
    const accounts = yield* workStore.accountsDue({ ...due, after, now: yield* DateTime.now })
    after = accounts[accounts.length - 1] ?? after
    return yield* serve(accounts, due.kind, work)
  })
}

/** Polls in which accounts take turns; returns how much was done. */
export const roundRobin = (
  workStore: WorkStore["Service"],
  due: Due,
  work: Work
): Effect.Effect<Effect.Effect<number, StorageError>> =>
  Effect.sync(() => Effect.map(makePoll(workStore, due, work), sum))

/** How long only woken accounts are served: as long as a loop sleeps without a wake-up. */
const wokenOnlyMillis = 1000

/** Serves the accounts with due work, all of them or only the woken ones. */
export interface AccountPoller {
  /** Polls, whether or not accounts were woken. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /**
   * Serves the woken accounts without asking storage which accounts have work, as long as the last poll left none. That
   * query comes first in the latency of a call in an idle engine: with it, the median was 17 % longer.
   */
  readonly runFor: (woken: Woken) => Effect.Effect<number, StorageError>
}

/** Polls in turn, unless only woken accounts have work. An account that fills a group of `group` may have more. */
export const makePoller = (
  workStore: WorkStore["Service"],
  { group, ...due }: Due & { readonly group: number },
  work: Work
): Effect.Effect<AccountPoller> =>
  Effect.sync(() => {
    const poll = makePoll(workStore, due, work)
    const isMore = (done: ReadonlyArray<number>) => done.some((n) => n >= group)
    let wokenOnlyUntil = -Infinity
    const runOnce = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const done = yield* poll
      // A full answer may have left accounts out.
      wokenOnlyUntil = isMore(done) || done.length === due.limit ? now : now + wokenOnlyMillis
      return sum(done)
    })
    const runFor = Effect.fnUntraced(function*(woken: Woken) {
      const now = yield* Clock.currentTimeMillis
      if (woken === undefined || woken.size > due.limit || now >= wokenOnlyUntil) return yield* runOnce
      const done = yield* serve(woken, due.kind, work)
      if (isMore(done)) wokenOnlyUntil = now
      return sum(done)
    })
    return { runOnce, runFor }
  })

/** Retries for over ten seconds while storage may return, for results that must not be lost. */
export const whileStorageReturns = { times: 7, schedule: Schedule.exponential("100 millis") }
