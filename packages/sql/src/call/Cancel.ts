/** Cancels queued calls: one call, or the rest of a batch. */
import { CallLife, type Event, HoldHistory, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as CallRows from "./CallRows.ts"
import type { CallWriter } from "./CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as CallRequests from "./CallRequests.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Cancel = Pick<Storage.CallStore["Service"], "cancel" | "cancelBatch">
type CancelCallOptions = Parameters<Cancel["cancel"]>[0]
type CancelBatchOptions = Parameters<Cancel["cancelBatch"]>[0]

export const make = (database: Database, writes: CallWriter): Cancel => {
  const { sql, transaction } = database
  const shared = SharedPeriods.make(database)

  const cancelCall = Effect.fnUntraced(function*({ accountId, events, id, now }: CancelCallOptions) {
    // Waits for a claim that has the call, and then sees it dialing. A claim skips a call that is locked here.
    const state = (yield* writes.lock(accountId, [id])).get(id)
    if (state === undefined) return notFound
    const before = CallRequests.whole(state, yield* writes.requests.of(accountId, [id]))
    if (before.status !== "queued") return { _tag: "NotCancelable", call: before } satisfies Storage.CancelResult
    const periods = yield* shared.read(accountId, [before.lane])
    const after = CallLife.canceled(HoldHistory.withShared(before, periods, now), now)
    yield* writes.save({ accountId, changes: [{ before, after }], events })
    return { _tag: "Canceled", call: after } satisfies Storage.CancelResult
  })

  const cancelBatch = Effect.fnUntraced(function*({ accountId, events, id, now }: CancelBatchOptions) {
    // Index: primary key. A plain read: batches are not deleted while they have queued calls.
    const batches = yield* sql`
      select b.id
      from outdial_batches as b
      where b.account_id = ${accountId}
        and b.id = ${id}`
    if (batches.length === 0) return Option.none()
    // Indexes: outdial_call_requests_rows, then primary keys; the case and the planning each time keep it to that, as in
    // `CallWriter.waiting`. Locked in the order of their ids, as all sets are. A call that is claimed concurrently is no
    // longer queued once its lock is acquired, so it is left out.
    const rows = yield* PlannerHints.plannedEachTime(sql<CallRows.StateRow>`
      select c.*
      from outdial_calls as c
      where c.account_id = ${accountId}
        and c.id = any(array(
          select r.id
          from outdial_call_requests as r
          where r.account_id = ${accountId}
            and r.batch_id = ${id}
        ))
        and c.status = 'queued'
      order by c.id
      for no key update`)
    const periods = yield* shared.read(accountId, rows.map(({ lane }) => lane))
    const changes = rows.map(CallRows.toState).map((before): Event.StateChange => ({
      before,
      after: CallLife.canceled(HoldHistory.withShared(before, periods, now), now)
    }))
    yield* writes.save({ accountId, changes, events })
    return Option.some(changes.length)
  })

  return {
    cancel: Effect.fn("CallStore.cancel")((options) => transaction(cancelCall(options))),
    cancelBatch: Effect.fn("CallStore.cancelBatch")((options) => transaction(cancelBatch(options)))
  }
}

const notFound: Storage.CancelResult = { _tag: "NotFound" }
