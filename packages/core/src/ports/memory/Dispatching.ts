/** Claiming, submitting and reporting calls. */
import { DateTime, Effect } from "effect"
import type { CallRecord } from "../../domain/Call.ts"
import type { CallId } from "../../domain/Ids.ts"
import * as Limits from "../../domain/Limits.ts"
import * as CallLife from "../../rules/CallLife.ts"
import type { ClaimedCall, Storage } from "../Storage.ts"
import { claimed, type Database, isDue, isQueued, linesInUse, save, tablesOf, waitingFor } from "./Tables.ts"

/** Single calls before batches, then by due time, then by id. */
const inOrder = (a: CallRecord, b: CallRecord): number =>
  Number(a.batchId !== null) - Number(b.batchId !== null) ||
  DateTime.Order(a.dueAt, b.dueAt) ||
  (a.id < b.id ? -1 : 1)

export const methods = (db: Database) =>
  ({
    claimDue: ({ accountId, decide, events, limit, now, token }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const { account } = tables
        const due = [...tables.calls.values()].filter((call) => isQueued(call) && isDue(call.dueAt, now)).sort(inOrder)
        const taken: Array<ClaimedCall> = []
        let freeLines = account.lines - linesInUse(tables)
        let moved = 0
        for (const call of due.slice(0, Limits.claimCandidates)) {
          if (taken.length >= limit) break
          const decision = decide(call, { now, account, deploymentPaused: db.deploymentPaused, freeLines })
          const after = CallLife.decided(call, decision, { now, token, epoch: account.epoch })
          // No line, or a pause: what stands behind it would wait for the same.
          if (after === undefined) break
          save(tables, call, after, events)
          if (after.status === "dialing") {
            freeLines -= 1
            taken.push(claimed(tables, after))
          } else {
            moved += 1
          }
        }
        return { claimed: taken, moved }
      }),
    submit: ({ accountId, callIds, now, token }) =>
      Effect.sync(() => {
        const { account, calls } = tablesOf(db, accountId)
        const submitted = new Set<CallId>()
        if (account.paused || db.deploymentPaused) return submitted
        for (const id of callIds) {
          const call = calls.get(id)
          if (call?.status !== "dialing" || call.claim?.token !== token || call.claim.epoch !== account.epoch) continue
          if (call.claim.submittedAt !== undefined || call.dialedAt === undefined) continue
          if (DateTime.isGreaterThan(now, DateTime.addDuration(call.dialedAt, Limits.dialDeadline))) continue
          calls.set(id, {
            ...call,
            claim: { ...call.claim, submittedAt: now, leaseUntil: DateTime.addDuration(now, Limits.lineLease) }
          })
          submitted.add(id)
        }
        return submitted
      }),
    returnToQueue: ({ accountId, callIds, events, now, reason, token }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        for (const id of callIds) {
          const call = tables.calls.get(id)
          const after = call && CallLife.returnedToQueue(call, {
            token,
            now,
            reason,
            numberIsQueued: waitingFor(tables, call) !== undefined
          })
          if (after !== undefined) save(tables, call, after, events)
        }
      }),
    report: ({ accountId, events, now, reports }) =>
      Effect.sync(() =>
        reports.map(({ callId, event }) => {
          const tables = db.accounts.get(accountId)
          const call = tables?.calls.get(callId)
          if (tables === undefined || call === undefined) return "unknown"
          const result = CallLife.reported(call, event, now)
          switch (result._tag) {
            case "Changed":
              save(tables, call, result.call, events)
              return "changed"
            case "Ignored":
              return "ignored"
            case "HangUp":
              return "hang_up"
            default:
              return result satisfies never
          }
        })
      ),
    takeStaleCalls: ({ accountId, limit, now }) =>
      Effect.sync(() => {
        const { calls } = tablesOf(db, accountId)
        return [...calls.values()].filter((call) => isDue(call.claim?.leaseUntil, now)).slice(0, limit).flatMap(
          (call) => {
            if (call.claim === undefined) return []
            calls.set(call.id, CallLife.alive(call, now))
            const { epoch: _, leaseUntil: __, ...rest } = call.claim
            return [{ callId: call.id, ...rest }]
          }
        )
      }),
    expireCalls: ({ accountId, events, limit, now }) =>
      Effect.sync(() => {
        const tables = tablesOf(db, accountId)
        const expired = [...tables.calls.values()].filter((call) => isQueued(call) && isDue(call.expiresAt, now))
        for (const call of expired.slice(0, limit)) save(tables, call, CallLife.expired(call, now), events)
        return Math.min(expired.length, limit)
      })
  }) satisfies Partial<Storage["Service"]>
