/** The outcomes of completed calls. */
import { DateTime, Effect } from "effect"
import * as Limits from "../../domain/Limits.ts"
import * as CallLife from "../../rules/CallLife.ts"
import type { Storage } from "../Storage.ts"
import { addDoNotCall } from "./Ruling.ts"
import { callsOf, claimed, type Database, isDue, outcomeDueAt, save, tablesOf } from "./Tables.ts"

export const methods = (db: Database) =>
  ({
    claimOutcomes: ({ accountId, limit, now, token }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const due = callsOf(tables, tables.unprocessed).filter((call) => isDue(outcomeDueAt(tables, call), now))
        return due.slice(0, limit).map((call) => {
          const held = { ...call, outcomeToken: token }
          tables.calls.set(call.id, held)
          tables.outcomeLeases.set(call.id, DateTime.addDuration(now, Limits.outcomeLease))
          return claimed(tables, held)
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
