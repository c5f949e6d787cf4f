/** Outcomes of completed calls: claims the work of computing them, and stores the results. */
import { type Call, type Event, type Ids, Limits, OutcomeSettlement, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as Agents from "../account/AgentStore.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import * as ConversationLogs from "../conversation/ConversationLogs.ts"
import type { Database } from "../database/Database.ts"
import * as DoNotCall from "../do-not-call/DoNotCallStore.ts"
import * as CallRequests from "../call/CallRequests.ts"

/** A completed call has its event with its outcome. */
const noEvents: Event.EventWriter = ({ after }) => {
  throw new Error(`A seal has reported ${after.id}`)
}

const isOpen = ({ conversation }: Call.CallRecord) => conversation === "open"

export const make = (database: Database, writes: CallWriter): Storage.OutcomeStore["Service"] => {
  const { sql, statement, transaction } = database
  const withAgents = Agents.versions(database)
  const logs = ConversationLogs.make(database)
  const addDoNotCall = DoNotCall.adding(database, writes)

  /** Seals logs that were not sealed in time: their processes are gone, or late and about to seal them. */
  const withLogs = Effect.fnUntraced(function*(accountId: Ids.AccountId, calls: ReadonlyArray<Call.CallRecord>) {
    const locked = yield* writes.lock(accountId, calls.filter(isOpen).map(({ id }) => id))
    const changes = yield* logs.seal(accountId, [...locked.values()])
    yield* writes.save({ accountId, changes, events: noEvents })
    const current = new Map([...locked, ...changes.map(({ after }) => [after.id, after] as const)])
    return calls.map((call): Call.CallRecord => ({ ...call, ...current.get(call.id) }))
  })

  const claim = Effect.fnUntraced(function*({ accountId, limit, now, token }: Storage.ClaimWorkOptions) {
    // Index: primary keys, that of outdial_pending_outcomes in its order. Skips rows that another node has locked, and
    // outcomes that are being computed: as many as outcome sources work on.
    const rows = yield* sql<CallRows.CallRow>`
      with due as (
        select c.id
        from outdial_pending_outcomes as p
        cross join lateral (
          select c.id
          from outdial_calls as c
          where c.account_id = ${accountId}
            and c.id = p.call_id
            and c.outcome_due_at = p.due_at
            and (c.outcome_token is null or c.outcome_lease_until <= ${DateTime.toDateUtc(now)})
          limit 1
          for no key update skip locked
        ) as c
        where p.account_id = ${accountId}
          and p.due_at <= ${DateTime.toDateUtc(now)}
        order by p.due_at, p.call_id
        limit ${limit}
      ), taken as (
        update outdial_calls as c
        set outcome_token = ${token},
          outcome_lease_until = ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.outcomeLease))}
        where c.account_id = ${accountId}
          and c.id = any(array(select due.id from due))
        returning c.*
      )
      select c.*, q.*
      from taken as c
      ${CallRequests.join(sql, accountId)}`
    return rows.map(CallRows.toCall)
  })

  const settle = Effect.fnUntraced(function*(options: Storage.SettleOutcomesOptions) {
    const calls = yield* writes.lock(options.accountId, options.results.map(({ callId }) => callId))
    const { changes, doNotCall } = OutcomeSettlement.settle(calls, options.results, options)
    yield* writes.save({ ...options, changes })
    if (doNotCall.length > 0) yield* addDoNotCall({ ...options, entries: doNotCall })
  })

  return {
    claim: Effect.fn("OutcomeStore.claim")(function*(options) {
      const { accountId } = options
      const claimed = yield* statement(claim(options))
      const calls = claimed.some(isOpen) ? yield* transaction(withLogs(accountId, claimed)) : claimed
      // One statement at most: the agents' versions are cached, and never change.
      return yield* statement(withAgents(accountId, calls))
    }),
    settle: Effect.fn("OutcomeStore.settle")((options) => transaction(settle(options)))
  }
}
