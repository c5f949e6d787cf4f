/** Reads what the rules need: the account's snapshot, and the facts of numbers. */
import {
  type Account,
  Call,
  type DialDecision,
  DialFacts,
  type Ids,
  type PhoneNumber,
  type Storage
} from "@outdial/core"
import { DateTime, Duration, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Database } from "../database/Database.ts"
import * as ErasedCallees from "./ErasedCallees.ts"
import * as LiveCalls from "./LiveCalls.ts"
import * as Rows from "../database/Rows.ts"

export interface AccountSnapshotRow extends Rows.AccountRow {
  readonly deployment_paused: boolean
  readonly lines_in_use: number
  /** In epoch milliseconds. */
  readonly placed_last_second: ReadonlyArray<number>
  readonly blocked_until: Date | null
  readonly live_since: Date | null
  readonly day_started_at: Date | null
  readonly placed_today: number
}

interface NumberRow {
  readonly phone_number: PhoneNumber.PhoneNumber
  readonly waiting_call_id: Ids.CallId | null
  readonly is_busy: boolean
  readonly do_not_call: boolean
  /** In epoch milliseconds, newest first. */
  readonly dials: ReadonlyArray<number>
}

export interface AskOptions {
  readonly accountId: Ids.AccountId
  readonly now: DateTime.Utc
  readonly rules: Pick<DialDecision.DialRules, "dayStart">
}

interface NumbersOptions {
  readonly now: DateTime.Utc
  /**
   * A plan kept from when there were few calls may read them all; `kept` is for transactions that are set to use indexes, and that
   * have no time to plan.
   */
  readonly plan: "kept" | "new"
}

/** The account's facts, with related columns of its row. */
export interface AccountSnapshot {
  readonly facts: DialFacts.AccountFacts
  readonly blockedUntil: DateTime.Utc | undefined
  /** See `LiveCalls`. */
  readonly liveSince: Date | null
  /** The day of `facts.placedToday`. */
  readonly dayStart: DateTime.Utc | undefined
  /** Whether the row has the count of that day. */
  readonly isCounted: boolean
}

export type ReadDialFacts = ReturnType<typeof make>

/**
 * The snapshot of account `a` with its switch `g` and the deployment `d`. Indexes: outdial_calls_lines; outdial_calls_dialed, which
 * its predicate has to be written for.
 */
export const columns = (sql: SqlClient.SqlClient, accountId: Ids.AccountId, now: DateTime.Utc): Statement.Fragment =>
  sql`
    a.*, g.paused, g.epoch, d.paused as deployment_paused, (
      select count(*)::int
      from outdial_calls as c
      where c.account_id = ${accountId}
        and ${LiveCalls.isLive(sql)}
    ) as lines_in_use, array(
      select (extract(epoch from c.dialed_at) * 1000)::float8
      from outdial_calls as c
      where c.account_id = ${accountId}
        and case when c.dialed_at is not null then true end
        and c.dialed_at > ${DateTime.toDateUtc(DateTime.subtractDuration(now, Duration.seconds(1)))}
      order by c.dialed_at
    ) as placed_last_second`

export const make = (database: Database) => {
  const { sql } = database
  const erased = ErasedCallees.make(database)

  const readAccount = (accountId: Ids.AccountId, now: DateTime.Utc, keep: boolean, lockTimeout?: string) =>
    // Index: primary keys. With `keep`, a key-share lock makes erasures wait until the transaction ends. Such a lock blocks
    // neither claims nor pauses, even in a host's long transaction. Also sets the lock timeout, which saves a round trip.
    sql<AccountSnapshotRow>`
      select ${columns(sql, accountId, now)}
      ${lockTimeout === undefined ? sql`` : sql`, set_config('lock_timeout', ${lockTimeout}, true)`}
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      join outdial_deployment as d on d.id = 1
      where a.id = ${accountId}
      ${keep ? sql`for key share of a` : sql``}`

  const countSince = (accountId: Ids.AccountId, start: DateTime.Utc) =>
    // Index: outdial_calls_dialed, as in `columns`. Once a day, and after a call of the day was returned to the queue.
    Effect.map(
      sql<{ readonly placed: number }>`
        select count(*)::int as placed
        from outdial_calls as c
        where c.account_id = ${accountId}
          and case when c.dialed_at is not null then true end
          and c.dialed_at >= ${DateTime.toDateUtc(start)}`,
      ([row]) => row?.placed ?? 0
    )

  /** The facts of the row, with the calls of the day, which the row may not have counted. */
  const accountSnapshot = Effect.fnUntraced(function*(row: AccountSnapshotRow, { accountId, now, rules }: AskOptions) {
    const account: Account.Account = Rows.toAccount(row)
    const dayStart = rules.dayStart(account, now)
    const isCounted = dayStart?.epochMilliseconds === row.day_started_at?.getTime()
    const placedToday = dayStart === undefined
      ? 0
      : isCounted
      ? row.placed_today
      : yield* countSince(accountId, dayStart)
    const snapshot: AccountSnapshot = {
      facts: {
        now,
        account,
        deploymentPaused: row.deployment_paused,
        linesInUse: row.lines_in_use,
        placedToday,
        placedLastSecond: row.placed_last_second.map((at) => DateTime.makeUnsafe(at)),
        placedNow: 0
      },
      blockedUntil: row.blocked_until === null ? undefined : DateTime.fromDateUnsafe(row.blocked_until),
      liveSince: row.live_since,
      dayStart,
      isCounted
    }
    return snapshot
  })

  const read = (
    account: Account.Account,
    { now, plan }: NumbersOptions,
    asked: ReadonlyArray<PhoneNumber.PhoneNumber>
  ) => {
    const { most, since } = DialFacts.history(account, now)
    // Indexes, each once for a number: outdial_calls_one_queued, which its predicate has to be written for;
    // outdial_calls_dials; the primary key of outdial_do_not_call. With a limit instead of `exists`, for which a planner may
    // read all dials and the whole list once. A plain read: the index rejects a call that is queued concurrently.
    const rows = sql<NumberRow>`
      select n.phone_number, w.id as waiting_call_id, (
        select true
        from outdial_calls as c
        where c.account_id = ${account.id}
          and c.phone_number = n.phone_number
          and c.dialed_at is not null
          and case when c.status in ('dialing', 'in_progress') then true end
        limit 1
      ) is not null as is_busy, (
        select true
        from outdial_do_not_call as d
        where d.account_id = ${account.id}
          and d.phone_number = n.phone_number
        limit 1
      ) is not null as do_not_call, array(
        select (extract(epoch from c.dialed_at) * 1000)::float8
        from outdial_calls as c
        where c.account_id = ${account.id}
          and c.phone_number = n.phone_number
          and c.dialed_at > ${DateTime.toDateUtc(since)}
          and case when c.status = 'failed' then c.status_code = ${Call.nothingRang} end is not true
        order by c.dialed_at desc
        limit ${most}
      ) as dials
      from unnest(array(select unnest(${asked}::text[]))) as n (phone_number)
      left join lateral (
        select c.id
        from outdial_calls as c
        where c.account_id = ${account.id}
          and c.phone_number = n.phone_number
          and case when c.stage = 'queued' then not c.test end
        limit 1
      ) as w on true`
    return Effect.map(
      plan === "kept" ? rows : rows.unprepared,
      (rows) => new Map(rows.map((row) => [row.phone_number, toNumberFacts(row)]))
    )
  }

  /** Includes the facts under the aliases of erased numbers, if the account has erased any callee. */
  const numbers = Effect.fnUntraced(function*(
    account: Account.Account,
    options: NumbersOptions,
    asked: ReadonlyArray<PhoneNumber.PhoneNumber>,
    given?: ReadonlyMap<PhoneNumber.PhoneNumber, PhoneNumber.PhoneNumber>
  ) {
    if (account.erasureKey === undefined) return yield* read(account, options, asked)
    const aliases = given ?? (yield* erased.known(account, asked))
    const found = yield* read(account, options, [...asked, ...aliases.values()])
    const { most } = DialFacts.history(account, options.now)
    return new Map(asked.map((number) => {
      const facts = found.get(number) ?? DialFacts.unknownNumber
      const alias = aliases.get(number)
      const aliasFacts = alias === undefined ? undefined : found.get(alias)
      return [number, aliasFacts === undefined ? facts : DialFacts.withAlias(facts, aliasFacts, most)]
    }))
  })

  const readSnapshot = Effect.fnUntraced(
    function*(
      options: Storage.DialFactsOptions,
      { areNew, lockTimeout }: { readonly areNew: boolean; readonly lockTimeout?: string | undefined }
    ) {
      const [row] = yield* readAccount(options.accountId, options.now, areNew, lockTimeout)
      if (row === undefined) return yield* Effect.die(new Error(`There is no account ${options.accountId}`))
      const { facts } = yield* accountSnapshot(row, options)
      const aliases = yield* erased.aliases(facts.account, options.phoneNumbers, {
        aliasesOf: options.aliasesOf,
        areNew
      })
      const known = yield* numbers(facts.account, { now: options.now, plan: "new" }, options.phoneNumbers, aliases)
      return { snapshot: { ...facts, numbers: known } satisfies Storage.AccountSnapshot, aliases }
    }
  )

  return {
    accountSnapshot,
    numbers,
    /** The snapshot of the account and of the numbers. */
    snapshot: (options: Storage.DialFactsOptions) =>
      Effect.map(readSnapshot(options, { areNew: false }), ({ snapshot }) => snapshot),
    /**
     * The same for new calls, with the aliases to store for their numbers. With `lockTimeout` the transaction waits no
     * longer than that for any lock.
     */
    snapshotForNewCalls: (options: Storage.DialFactsOptions, lockTimeout?: string) =>
      readSnapshot(options, { areNew: true, lockTimeout }),
    saveNumbers: erased.saveNumbers
  }
}

const toNumberFacts = (row: NumberRow): DialFacts.NumberFacts => ({
  ...(row.waiting_call_id !== null && { waitingCallId: row.waiting_call_id }),
  isBusy: row.is_busy,
  doNotCall: row.do_not_call,
  dials: row.dials.map((at) => DateTime.makeUnsafe(at))
})
