/** Terminating live calls on request. The request is stored with the claim, where every report and lookup of the call finds it. */
import { Call, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as Agents from "../account/AgentStore.ts"
import * as CallRows from "./CallRows.ts"
import type { CallWriter } from "./CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as CallRequests from "./CallRequests.ts"

type HangUp = Pick<Storage.CallStore["Service"], "requestHangUp">

export const make = (database: Database, writes: CallWriter): HangUp => {
  const { sql, transaction } = database
  const withAgents = Agents.versions(database)
  return {
    requestHangUp: Effect.fn("CallStore.requestHangUp")(({ accountId, id, now }) =>
      transaction(Effect.gen(function*() {
        // Waits for a claim or a report of the call. An earlier submission is visible here, a later one sees the
        // request.
        const state = (yield* writes.lock(accountId, [id])).get(id)
        if (state === undefined) return notFound
        const terms = yield* writes.requests.of(accountId, [id])
        const before = CallRequests.whole(state, terms)
        if (!Call.usesLine(before.status)) return { _tag: "NotLive", call: before } satisfies Storage.HangUpResult
        // Index: primary key. The row is locked already.
        const [row] = yield* sql<CallRows.StateRow>`
        update outdial_calls as c
        set hang_up_at = coalesce(c.hang_up_at, ${DateTime.toDateUtc(now)})
        where c.account_id = ${accountId}
          and c.id = ${id}
        returning c.*`
        const [claimed] = row === undefined
          ? []
          : yield* withAgents(accountId, [CallRequests.whole(CallRows.toState(row), terms)])
        return claimed === undefined ? notFound : { _tag: "Requested", ...claimed } satisfies Storage.HangUpResult
      }))
    )
  }
}

const notFound: Storage.HangUpResult = { _tag: "NotFound" }
