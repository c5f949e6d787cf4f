/** Ending live calls by hand. */
import { Effect } from "effect"
import { usesLine } from "../domain/Call.ts"
import type { HangUpResult, Storage } from "../engine/Storage.ts"
import { claimed, type Database, tablesOf } from "../storage/MemoryTables.ts"

export const methods = (db: Database) =>
  ({
    requestHangUp: ({ accountId, id, now }) =>
      Effect.sync((): HangUpResult => {
        const tables = tablesOf(db, accountId)
        const { calls } = tables
        const before = calls.get(id)
        if (before === undefined) return { _tag: "NotFound" }
        if (!usesLine(before.status) || before.claim === undefined) return { _tag: "NotLive", call: before }
        const call = { ...before, claim: { ...before.claim, hangUpAt: before.claim.hangUpAt ?? now } }
        calls.set(id, call)
        return { _tag: "Requested", ...claimed(tables, call) }
      })
  }) satisfies Partial<Storage["Service"]>
