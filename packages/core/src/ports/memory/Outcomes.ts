/** The outcomes of completed calls. */
import { Effect } from "effect"
import * as CallLife from "../../rules/CallLife.ts"
import type { Storage } from "../Storage.ts"
import { addDoNotCall } from "./Ruling.ts"
import { callsOf, claimed, type Database, save, tablesOf } from "./Tables.ts"

export const methods = (db: Database) =>
  ({
    claimOutcomes: ({ accountId, limit, now, token }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const held = callsOf(tables, tables.unprocessed).flatMap((call) =>
          CallLife.outcomeClaimed(call, token, now) ?? []
        )
        return held.slice(0, limit).map((call) => {
          tables.calls.set(call.id, call)
          return claimed(tables, call)
        })
      }),
    settleOutcomes: ({ accountId, events, now, results, token }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        for (const { callId, result } of results) {
          const call = tables.calls.get(callId)
          const after = call && CallLife.outcomeSettled(call, token, result)
          if (after === undefined) continue
          save(tables, call, after, events)
          if (after.outcome?.doNotCall === true) {
            const entry = { phoneNumber: after.phoneNumber, source: "call", callId, createdAt: now } as const
            addDoNotCall(tables, { entries: [entry], now, events })
          }
        }
      })
  }) satisfies Partial<Storage["Service"]>
