/**
 * Corrects what was written by a clock that has been set back. This is rare, so it may read all calls of an account.
 */
import { ClockSetBack, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as Breaker from "../webhook/Breaker.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import type { Database } from "../database/Database.ts"

type ClockSetBack = Storage.ClockStore["Service"]
type Options = Parameters<ClockSetBack["setBack"]>[0]

/** Maximum number of calls written at a time. */
const callsAtOnce = 500

export const make = (database: Database, writes: CallWriter): ClockSetBack => {
  const { sql, transaction } = database
  const breakers = Breaker.make(database)

  const ahead = ({ accountId, now }: Options, after: string) =>
    // Index: primary key, in its order. `ClockSetBack` keeps instants that a correct clock may also have written.
    sql<CallRows.StateRow>`
      select c.*
      from outdial_calls as c
      where c.account_id = ${accountId}
        and c.id > ${after}
        and greatest(
          case when c.stage = 'queued' then c.due_at end, case when c.stage = 'queued' then c.not_before end,
          case when c.stage = 'live' then c.lease_until end, c.submitted_at, c.dialed_at, c.answered_at, c.ended_at,
          c.outcome_due_at, c.outcome_lease_until
        ) > ${DateTime.toDateUtc(now)}
      order by c.id
      limit ${callsAtOnce}
      for no key update`

  const setBackCalls = Effect.fnUntraced(function*(options: Options) {
    for (let after = "", isMore = true; isMore;) {
      const rows = yield* ahead(options, after)
      const changes = rows.map(CallRows.toState).map((before) => ({
        before,
        after: ClockSetBack.call(before, options.now)
      }))
      yield* writes.save({ accountId: options.accountId, changes, events: noEvents })
      isMore = rows.length === callsAtOnce
      after = rows.at(-1)?.id ?? after
    }
  })

  const setBackDeliveries = ({ accountId, now }: Options) =>
    // Index: outdial_deliveries_open. Same as `ClockSetBack.deliveryDueAt`.
    sql`
      update outdial_deliveries as d
      set due_at = least(d.due_at, case
        when d.state = 'sending' then ${
      DateTime.toDateUtc(DateTime.addDuration(now, Limits.deliveryLease))
    }::timestamptz
        else ${DateTime.toDateUtc(now)}::timestamptz
      end)
      where d.account_id = ${accountId}
        and d.state in ('pending', 'sending')
        and d.due_at > ${DateTime.toDateUtc(now)}`

  const setBackBreaker = Effect.fnUntraced(function*({ accountId, now }: Options) {
    const [row] = yield* breakers.lock(accountId)
    if (row !== undefined) yield* breakers.write(accountId, ClockSetBack.breaker(Breaker.toBreaker(row), now))
  })

  const setBack = Effect.fnUntraced(function*(options: Options) {
    const { accountId, now } = options
    // Index: primary key. First, which is the lock order of every transaction that writes both.
    yield* sql`
      update outdial_accounts
      set blocked_until = null,
        day_started_at = null,
        hold_periods = case
          when exists (select from outdial_dial_switches as g where g.account_id = ${accountId} and g.paused)
          then ${JSON.stringify([{ code: "account_paused", since: now }])}::json
        end
      where id = ${accountId}`
    yield* setBackCalls(options)
    yield* setBackDeliveries(options)
    yield* setBackBreaker(options)
    // Index: primary key.
    yield* sql`
      delete from outdial_closed_lanes
      where account_id = ${accountId}`
    // Index: outdial_batch_ends_due.
    yield* sql`
      update outdial_batch_ends
      set ended_at = ${DateTime.toDateUtc(now)}
      where account_id = ${accountId}
        and ended_at > ${DateTime.toDateUtc(now)}`
    // Index: primary key.
    yield* sql`
      delete from outdial_request_windows
      where account_id = ${accountId}
        and second > ${Math.floor(now.epochMilliseconds / 1000)}::bigint`
  })

  return { setBack: Effect.fn("ClockStore.setBack")((options) => transaction(setBack(options))) }
}

const noEvents = () => {
  throw new Error("Correcting a clock must not change a status")
}
