/** The logs of conversations. The call is always locked before the row of its log. */
import { Call, ConversationLog, type Event, type Ids, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Agents from "../account/AgentStore.ts"
import * as CallRequests from "../call/CallRequests.ts"
import * as CallRows from "../call/CallRows.ts"
import type { CallWriter } from "../call/CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as Append from "./Append.ts"
import * as ConversationLogs from "./ConversationLogs.ts"
import * as EntryRows from "./EntryRows.ts"
import * as ReadLogs from "./ReadLogs.ts"

interface TenureRow {
  readonly generation: number
  readonly lease_until: Date
}

type Steps = ReadonlyArray<Event.Step<Call.CallState>>

interface SaveOptions {
  readonly accountId: Ids.AccountId
  readonly now: DateTime.Utc
  readonly events: Event.EventWriter
}

export const make = (database: Database, writes: CallWriter): Storage.ConversationStore["Service"] => {
  const { sql, transaction } = database
  const withAgents = Agents.versions(database)
  const logs = ConversationLogs.make(database)

  const acquire = Effect.fnUntraced(function*(options: Storage.AcquireOptions) {
    const { accountId, callId } = options
    const before = (yield* writes.lock(accountId, [callId])).get(callId)
    const call = before && ConversationLog.opened(before)
    if (call === undefined) return Option.none()
    // Index: primary key. Appends to the log wait.
    const [row] = yield* sql<TenureRow>`
      select o.generation, o.lease_until
      from outdial_conversations as o
      where o.account_id = ${accountId}
        and o.call_id = ${callId}
      for no key update`
    const tenure = ConversationLog.acquired(row && toTenure(row), options)
    if (tenure === undefined) return Option.none()
    yield* saveTenure(call, tenure)
    // Index: primary key, in its order.
    const rows = yield* sql<EntryRows.EntryRow>`
      select e.call_id, e.chunk, e.entries
      from outdial_conversation_entries as e
      where e.account_id = ${accountId}
        and e.call_id = ${callId}
      order by e.chunk`
    const terms = yield* writes.requests.of(accountId, [callId])
    const [claimed] = yield* withAgents(accountId, [CallRequests.whole(call, terms)])
    return Option.map(Option.fromUndefinedOr(claimed), (found): Storage.Acquired => ({
      ...found,
      generation: tenure.generation,
      entries: EntryRows.entriesOf(rows)
    }))
  })

  /** Opens the log of the call, or gives an open log to another process. */
  const saveTenure = (
    { accountId, createdAt, id }: Call.CallState,
    { generation, leaseUntil }: ConversationLog.Tenure
  ) =>
    generation > 1
      // Index: primary key. The row is locked.
      ? sql`
        update outdial_conversations as o
        set generation = ${generation},
          lease_until = ${DateTime.toDateUtc(leaseUntil)}
        where o.account_id = ${accountId}
          and o.call_id = ${id}`
      // Index: primary key. The call is locked.
      : sql`
        with opened as (
          update outdial_calls as c
          set conversation = 'open'
          where c.account_id = ${accountId}
            and c.id = ${id}
        )
        insert into outdial_conversations (account_id, call_id, created_at, generation, entry_count, lease_until)
        values (
          ${accountId}, ${id}, ${DateTime.toDateUtc(createdAt)}, ${generation}, 0, ${DateTime.toDateUtc(leaseUntil)}
        )`

  /** Saves sealed calls; calls that wait for the numbers of those that have ended are reconsidered. */
  const save = Effect.fnUntraced(function*({ accountId, events, now }: SaveOptions, changes: Steps) {
    yield* writes.save({ accountId, changes, events })
    const freed = changes.filter(({ after, before }) => Call.isFinal(after.status) && !Call.isFinal(before.status))
    if (freed.length > 0) yield* writes.reconsider(accountId, freed.map(({ after }) => after.phoneNumber), now)
    return changes.length
  })

  const seal = Effect.fnUntraced(
    function*({ callId, generation, ...options }: Parameters<Storage.ConversationStore["Service"]["seal"]>[0]) {
      const { accountId } = options
      const calls = yield* writes.lock(accountId, [callId])
      return (yield* save(options, yield* logs.seal(accountId, [...calls.values()], generation))) > 0
    }
  )

  const settleEnds = Effect.fnUntraced(
    function*({ limit, ...options }: Parameters<Storage.ConversationStore["Service"]["settleEnds"]>[0]) {
      const { accountId, now } = options
      // Index: outdial_calls_lines; primary key of the account. A locked call is being sealed.
      const rows = yield* sql<CallRows.StateRow>`
        select c.*
        from outdial_accounts as a
        join outdial_calls as c on c.account_id = a.id
        where a.id = ${accountId}
          and c.stage = 'live'
          and c.line_ended_at is not null
          and c.lease_until <= ${DateTime.toDateUtc(now)}
        order by c.lease_until, c.id
        limit ${limit}
        for no key update of c skip locked`
      return yield* save(options, yield* logs.seal(accountId, rows.map(CallRows.toState)))
    }
  )

  return {
    acquire: Effect.fn("ConversationStore.acquire")((options) => transaction(acquire(options))),
    append: Append.make(database, writes),
    seal: Effect.fn("ConversationStore.seal")((options) => transaction(seal(options))),
    settleEnds: Effect.fn("ConversationStore.settleEnds")((options) => transaction(settleEnds(options))),
    ...ReadLogs.make(database)
  }
}

const toTenure = (row: TenureRow): ConversationLog.Tenure => ({
  generation: row.generation,
  leaseUntil: DateTime.fromDateUnsafe(row.lease_until)
})
