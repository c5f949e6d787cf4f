/** The outcomes of completed calls. */
import { Effect } from "effect"
import * as CallLife from "../rules/call/CallLife.ts"
import * as OutcomeSettlement from "../rules/call/OutcomeSettlement.ts"
import { seal } from "../conversation/MemoryConversationStore.ts"
import { addDoNotCall } from "../do-not-call/MemoryDoNotCallStore.ts"
import { callsOf, claimed, type Database, save, tablesOf } from "../storage/MemoryTables.ts"
import type { OutcomeStore } from "./OutcomeStore.ts"

export const make = (db: Database): OutcomeStore["Service"] => ({
  claim: ({ accountId, limit, now, token }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const held = callsOf(tables, tables.unprocessed).flatMap((call) =>
        CallLife.outcomeClaimed(call, token, now) ?? []
      )
      return held.slice(0, limit).map((call) => {
        const after = seal(tables, call) ?? call
        tables.calls.set(call.id, after)
        return claimed(tables, after)
      })
    }),
  settle: ({ accountId, events, now, results, token }) =>
    Effect.sync(() => {
      const tables = tablesOf(db, accountId)
      const { changes, doNotCall } = OutcomeSettlement.settle(tables.calls, results, { now, token })
      for (const { after, before } of changes) save(tables, before, after, events)
      if (doNotCall.length > 0) addDoNotCall(db, { accountId, entries: doNotCall, now, events })
    })
})
