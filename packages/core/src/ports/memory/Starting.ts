/** Starting and reading calls. */
import { Effect, Option, Result } from "effect"
import type { CallId } from "../../domain/Ids.ts"
import type { Idempotency, StartOptions, StartResult, Storage } from "../Storage.ts"
import { type Database, isQueued, latest, save, type Tables, tablesOf, waitingFor } from "./Tables.ts"

const start = <Refusal>(db: Database, options: StartOptions<Refusal>): StartResult<Refusal> => {
  const tables = tablesOf(db, options.accountId)
  const idempotency = Option.getOrUndefined(options.idempotency)
  const earlier = idempotency && tables.idempotency.get(idempotency.key)
  if (earlier !== undefined) return replayed(tables, earlier, idempotency)
  const planned = options.plan({
    account: tables.account,
    agent: Option.fromUndefinedOr(latest(tables.agents.get(options.agentId)))
  })
  if (Result.isFailure(planned)) return { _tag: "Refused", reason: planned.failure }
  const call = planned.success
  const waiting = isQueued(call) ? waitingFor(tables, call) : undefined
  if (waiting !== undefined) return { _tag: "AlreadyQueued", callId: waiting }
  if (idempotency !== undefined) {
    tables.idempotency.set(idempotency.key, { fingerprint: idempotency.fingerprint, callId: call.id })
  }
  save(tables, undefined, call, options.events)
  return { _tag: "Started", call }
}

const replayed = (
  tables: Tables,
  earlier: { readonly fingerprint: string; readonly callId: CallId },
  idempotency: Idempotency | undefined
): StartResult<never> => {
  const call = tables.calls.get(earlier.callId)
  if (call === undefined || earlier.fingerprint !== idempotency?.fingerprint) {
    return { _tag: "KeyReused", callId: earlier.callId }
  }
  return { _tag: "Replayed", call }
}

export const methods = (db: Database) =>
  ({
    startCall: <Refusal>(options: StartOptions<Refusal>) => Effect.sync(() => start(db, options)),
    getCall: (accountId, id) => Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(accountId)?.calls.get(id)))
  }) satisfies Partial<Storage["Service"]>
