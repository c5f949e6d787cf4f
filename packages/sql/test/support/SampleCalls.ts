/** Sets of calls that are written at once, and all calls of an account as they are stored. */
import { type Call, Ids } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as CallRows from "../../src/call/CallRows.ts"
import * as Account from "./Account.ts"

/** An account with a batch of these calls. */
export const make = Effect.fnUntraced(function*(calls: ReadonlyArray<Partial<Call.CallRecord>>) {
  const account = yield* Account.make()
  const batchId = Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))
  yield* account.storage.calls.startBatch({
    accountId: account.id,
    now: Factories.start,
    idempotency: Option.none(),
    agentIds: [account.agentId],
    phoneNumbers: [],
    rules: Factories.rules,
    plan: (facts) => {
      const agent = Option.fromUndefinedOr(facts.agents.get(account.agentId))
      const made = { id: batchId, accountId: account.id, agentId: null, test: false, createdAt: Factories.start }
      return {
        batch: { ...made, acceptedCount: calls.length, rejected: [] },
        calls: calls.map((call, batchIndex) =>
          Factories.queuedCall({ account: facts.account, agent }, { ...call, batchId, batchIndex })
        )
      }
    },
    events: account.events
  })
  return account
})

export const read = Effect.fnUntraced(function*(accountId: Ids.AccountId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<CallRows.CallRow>`
    select c.*, q.agent_id, q.agent_version, q.batch_id, q.batch_index, q.contact, q.variables, q.metadata
    from outdial_calls as c
    join outdial_call_requests as q on q.account_id = c.account_id and q.id = c.id
    where c.account_id = ${accountId}
    order by c.id`
  return rows.map(CallRows.toCall)
})
