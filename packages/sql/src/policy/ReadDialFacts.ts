/** Reads what the rules need: the account's snapshot, and the facts of numbers. */
import {
  type Account,
  Call,
  type DialDecision,
  DialFacts,
  type HoldPeriods,
  type Ids,
  type PhoneNumber,
  type Storage
} from "@outdial/core"
import { DateTime, Duration, Effect } from "effect"
import * as SharedPeriods from "./SharedPeriods.ts"
import type { Database } from "../database/Database.ts"
import * as ErasedCallees from "./ErasedCallees.ts"
import * as Rows from "../database/Rows.ts"
import * as PlannerHints from "../database/PlannerHints.ts"
import * as PausedCarriers from "../telephony/PausedCarriers.ts"

interface AccountRow extends Rows.AccountRow {
  readonly deployment_paused: boolean
  /** Not read for a claim. */
  readonly dialing_paused: boolean
  readonly paused_carriers: ReadonlyArray<Ids.CarrierName>
  /** Not read for a claim. */
  readonly running_carriers: ReadonlyArray<Ids.CarrierName>
  readonly lines_in_use: number
  /** In epoch milliseconds. */
  readonly placed_last_second: ReadonlyArray<number>
  readonly blocked_until: Date | null
  readonly day_started_at: Date | null
  readonly placed_today: number
  readonly hold_periods: SharedPeriods.PeriodRows
  readonly deployment_periods: SharedPeriods.PeriodRows
}

interface NumberRow {
  readonly phone_number: PhoneNumber.PhoneNumber
  readonly waiting_call_id: Ids.CallId | null
  readonly is_busy: boolean
  readonly do_not_call: boolean
  /** In epoch milliseconds, newest first. */
  readonly dials: ReadonlyArray<number>
}

interface AccountOptions {
  readonly accountId: Ids.AccountId
  readonly now: DateTime.Utc
  readonly rules: Pick<DialDecision.DialRules, "dayStart">
  /** Of the claim. */
  readonly carrier?: Ids.CarrierName
  /** Set to start calls: no callee is erased meanwhile, and the transaction waits no longer than `lockTimeout` for any lock. */
  readonly forNewCalls?: { readonly lockTimeout?: string | undefined }
}

interface NumbersOptions {
  readonly now: DateTime.Utc
  readonly phoneNumbers: ReadonlyArray<PhoneNumber.PhoneNumber>
  /** The aliases of the numbers, if known. */
  readonly aliases?: ErasedCallees.Aliases
  /** For transactions that are set to use indexes. In others, a plan kept from when there were few calls may read them all. */
  readonly isPlanKept?: true
}

interface SnapshotOptions extends AccountOptions, Storage.DialFactsOptions {}

/** The account's facts, with related columns of its row. */
export interface AccountSnapshot {
  readonly facts: DialFacts.AccountFacts
  readonly blockedUntil: DateTime.Utc | undefined
  /** The day of `facts.placedToday`. */
  readonly dayStart: DateTime.Utc | undefined
  /** Whether the row has the count of that day. */
  readonly isCounted: boolean
  readonly periods: Omit<HoldPeriods.SharedPeriods, "lanes">
}

export const make = (database: Database) => {
  const { sql } = database
  const erased = ErasedCallees.make(database)

  const accountRow = ({ accountId, carrier, forNewCalls, now }: AccountOptions) =>
    // Indexes: primary keys; outdial_calls_lines; outdial_calls_dialed. For new calls, a key-share lock makes erasures wait until
    // the transaction ends. Such a lock blocks neither claims nor pauses, even in a host's long transaction. Setting the lock
    // timeout in the same statement saves a round trip.
    sql<AccountRow>`
      select a.*, g.paused, g.epoch, d.paused as deployment_paused, d.hold_periods as deployment_periods, ${
      carrier === undefined
        ? sql`${PausedCarriers.isDialingPaused(sql, now)} as dialing_paused, ${
          PausedCarriers.runningNames(sql, now)
        } as running_carriers`
        : sql`false as dialing_paused, '{}'::text[] as running_carriers`
    }, ${PausedCarriers.names(sql)} as paused_carriers, (
        select count(*)::int
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'live'
      ) as lines_in_use, array(
        select (extract(epoch from c.dialed_at) * 1000)::float8
        from outdial_calls as c
        where c.account_id = ${accountId}
          and ${PlannerHints.wasDialed(sql)}
          and c.dialed_at > ${DateTime.toDateUtc(DateTime.subtractDuration(now, Duration.seconds(1)))}
        order by c.dialed_at
      ) as placed_last_second
      ${
      forNewCalls?.lockTimeout === undefined
        ? sql``
        : sql`, set_config('lock_timeout', ${forNewCalls.lockTimeout}, true)`
    }
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      join outdial_deployment as d on d.id = 1
      where a.id = ${accountId}
      ${forNewCalls === undefined ? sql`` : sql`for key share of a`}`

  const countSince = (accountId: Ids.AccountId, start: DateTime.Utc) =>
    // Index: outdial_calls_dialed. Once a day, and after a call of the day was returned to the queue.
    Effect.map(
      sql<{ readonly placed: number }>`
        select count(*)::int as placed
        from outdial_calls as c
        where c.account_id = ${accountId}
          and ${PlannerHints.wasDialed(sql)}
          and c.dialed_at >= ${DateTime.toDateUtc(start)}`,
      ([row]) => row?.placed ?? 0
    )

  /** The account's facts, with its calls of the day, which its row may not have counted. */
  const account = Effect.fnUntraced(function*(options: AccountOptions) {
    const { accountId, carrier, now, rules } = options
    const [row] = yield* accountRow(options)
    if (row === undefined) return yield* Effect.die(new Error(`There is no account ${accountId}`))
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
        carrierPaused: carrier === undefined ? row.dialing_paused : row.paused_carriers.includes(carrier),
        pausedCarriers: new Set(row.paused_carriers),
        runningCarriers: new Set(row.running_carriers),
        linesInUse: row.lines_in_use,
        placedToday,
        placedLastSecond: row.placed_last_second.map((at) => DateTime.makeUnsafe(at)),
        placedNow: 0
      },
      blockedUntil: row.blocked_until === null ? undefined : DateTime.fromDateUnsafe(row.blocked_until),
      dayStart,
      isCounted,
      periods: {
        account: SharedPeriods.toPeriods(row.hold_periods),
        deployment: SharedPeriods.toPeriods(row.deployment_periods)
      }
    }
    return snapshot
  })

  const read = (
    account: Account.Account,
    { isPlanKept, now }: NumbersOptions,
    phoneNumbers: ReadonlyArray<PhoneNumber.PhoneNumber>
  ) => {
    const { most, since } = DialFacts.history(account, now)
    // Indexes, each once for a number: outdial_calls_one_queued; outdial_calls_dials; the primary key of outdial_do_not_call. A
    // plain read: the index rejects a call that is queued concurrently.
    const rows = sql<NumberRow>`
      select n.phone_number, w.id as waiting_call_id, (
        select true
        from outdial_calls as c
        where c.account_id = ${account.id}
          and c.phone_number = n.phone_number
          and c.dialed_at is not null
          and c.status in ('dialing', 'in_progress')
        ${PlannerHints.oneRow(sql)}
      ) is not null as is_busy, (
        select true
        from outdial_do_not_call as d
        where d.account_id = ${account.id}
          and d.phone_number = n.phone_number
        ${PlannerHints.oneRow(sql)}
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
      from unnest(array(select unnest(${phoneNumbers}::text[]))) as n (phone_number)
      left join lateral (
        select c.id
        from outdial_calls as c
        where c.account_id = ${account.id}
          and c.phone_number = n.phone_number
          and ${PlannerHints.holdsNumber(sql)}
        ${PlannerHints.oneRow(sql)}
      ) as w on true`
    return Effect.map(
      isPlanKept === true ? rows : PlannerHints.plannedEachTime(rows),
      (rows) => new Map(rows.map((row) => [row.phone_number, toNumberFacts(row)]))
    )
  }

  /** The facts of these numbers, with those under the aliases of erased numbers if the account has erased any callee. */
  const numbers = Effect.fnUntraced(function*(account: Account.Account, options: NumbersOptions) {
    const { phoneNumbers } = options
    if (account.erasureKey === undefined) return yield* read(account, options, phoneNumbers)
    const aliases = options.aliases ?? (yield* erased.known(account, phoneNumbers))
    const found = yield* read(account, options, [...phoneNumbers, ...aliases.values()])
    const { most } = DialFacts.history(account, options.now)
    return new Map(phoneNumbers.map((number) => {
      const facts = found.get(number) ?? DialFacts.unknownNumber
      const alias = aliases.get(number)
      const aliasFacts = alias === undefined ? undefined : found.get(alias)
      return [number, aliasFacts === undefined ? facts : DialFacts.withAlias(facts, aliasFacts, most)]
    }))
  })

  /** The snapshot of the account and of the numbers, with the aliases of the numbers, which are stored with new calls. */
  const snapshot = Effect.fnUntraced(function*(options: SnapshotOptions) {
    const { aliasesOf, forNewCalls, now, phoneNumbers } = options
    const { facts } = yield* account(options)
    const aliases = yield* erased.aliases(facts.account, phoneNumbers, { aliasesOf, areNew: forNewCalls !== undefined })
    const known = yield* numbers(facts.account, { now, phoneNumbers, aliases })
    return { aliases, snapshot: { ...facts, numbers: known } satisfies Storage.AccountSnapshot }
  })

  return { account, numbers, snapshot, saveNumbers: erased.saveNumbers }
}

const toNumberFacts = (row: NumberRow): DialFacts.NumberFacts => ({
  ...(row.waiting_call_id !== null && { waitingCallId: row.waiting_call_id }),
  isBusy: row.is_busy,
  doNotCall: row.do_not_call,
  dials: row.dials.map((at) => DateTime.makeUnsafe(at))
})
