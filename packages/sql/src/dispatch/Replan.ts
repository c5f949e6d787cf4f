/**
 * Replans queued calls that were planned by another policy, other time zone data or other routes. It waits for no lock and blocks no claim:
 * the account's row is not locked while calls are read and written. If the policy changes, they are replanned again.
 */
import {
  type Account,
  type Call,
  CallLife,
  type DialDecision,
  HoldHistory,
  type HoldPeriods,
  type Ids,
  type Lane,
  type Storage
} from "@outdial/core"
import { Effect } from "effect"
import * as Agents from "../account/AgentStore.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as ClosedLanes from "../policy/ClosedLanes.ts"
import * as Lanes from "./Lanes.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"
import * as CallRequests from "../call/CallRequests.ts"
import * as Rows from "../database/Rows.ts"

/** The lane that a call is moved into. */
export type LaneOf = (call: DialDecision.PlannedCall & Pick<Call.CallRecord, "lane">) => Lane.Lane

export const make = (database: Database, writes: CallWriter) => {
  const { sql, transaction } = database
  const laneStore = Lanes.make(database)
  const withAgents = Agents.versions(database)

  /** Moves the calls, whose rows are locked, into the lanes of this account's policy, or of `laneOf`; returns them. */
  const replan = Effect.fnUntraced(function*(
    { accountId, events, now, rules }: Omit<Storage.ReplanOptions, "limit">,
    { account, laneOf = (call) => rules.laneOf(account, call), rows, shared }: {
      readonly account: Account.Account
      readonly rows: ReadonlyArray<CallRows.CallRow>
      /** Of the lanes that the calls leave. */
      readonly shared: HoldPeriods.SharedPeriods
      readonly laneOf?: LaneOf
    }
  ) {
    const calls = yield* withAgents(accountId, rows.map(CallRows.toCall))
    const changes = calls.map(({ agent: { callerId }, call: before }) => {
      const lane = laneOf({ ...before, ...(callerId !== undefined && { callerId }) })
      const known = HoldHistory.withShared(before, shared, now)
      return { before, after: CallLife.replanned(known, lane, now) }
    })
    yield* writes.save({ accountId, changes, events })
    return changes.map(({ after }): Call.CallRecord => after)
  })

  interface AccountRow extends Rows.AccountRow {
    readonly hold_periods: SharedPeriods.PeriodRows
    readonly deployment_periods: SharedPeriods.PeriodRows
  }

  const accountOf = (id: Ids.AccountId) =>
    // Index: primary keys. A plain read, before the lanes: if the policy changes later, these lanes are found again.
    Effect.map(
      sql<AccountRow>`
        select a.*, g.paused, g.epoch, d.hold_periods as deployment_periods
        from outdial_accounts as a
        join outdial_dial_switches as g on g.account_id = a.id
        join outdial_deployment as d on d.id = 1
        where a.id = ${id}`,
      ([row]) =>
        row && {
          account: Rows.toAccount(row),
          periods: {
            account: SharedPeriods.toPeriods(row.hold_periods),
            deployment: SharedPeriods.toPeriods(row.deployment_periods)
          }
        }
    )

  const lock = (accountId: Ids.AccountId, lanes: ReadonlyArray<Lane.Lane>, limit: number) =>
    // Index: outdial_calls_due, in its order once for each lane: any other way would read the replanned calls again with every
    // set. A row that is locked is leaving the queue, or moving to another lane.
    sql<CallRows.CallRow>`
      select c.*, q.*
      from unnest(${lanes}::text[]) as l (lane)
      cross join lateral (
        select c.*
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.stage = 'queued'
          and c.lane = l.lane
        order by c.priority, c.due_at, c.id
        limit ${limit}
        for no key update skip locked
      ) as c
      ${CallRequests.join(sql, accountId)}
      limit ${limit}`

  const replanCalls = Effect.fnUntraced(function*(options: Storage.ReplanOptions) {
    const { accountId } = options
    const found = yield* accountOf(accountId)
    const waiting = yield* laneStore.waiting(accountId)
    const stale = waiting.flatMap(({ isPlanned, lane }) => isPlanned ? [] : [lane])
    if (found === undefined || stale.length === 0) return 0
    const rows = yield* lock(accountId, stale, options.limit)
    const { account, periods } = found
    const planned = yield* replan(options, { account, rows, shared: { ...periods, lanes: Lanes.periodsOf(waiting) } })
    yield* ClosedLanes.deleteUnused(sql, accountId, stale)
    // Index: primary key. The old plan may have held the account. If the row is locked, a claim updates it itself, or a host's
    // long transaction has it, which is not waited for. Last, because every other waiter locks it before calls.
    yield* sql`
      update outdial_accounts
      set blocked_until = null,
        day_started_at = null
      where id = ${accountId}
        and id = any(array(
          select a.id
          from outdial_accounts as a
          where a.id = ${accountId}
            and a.blocked_until is not null
          for no key update skip locked
        ))`
    return planned.length
  })

  return {
    replan,
    replanCalls: Effect.fn("DispatchStore.replanCalls")((options: Storage.ReplanOptions) =>
      transaction(replanCalls(options))
    )
  }
}
