/**
 * Repairs what other processes left behind: looks up calls whose lease ran out and ends them only if the carrier no longer knows them as
 * live; checks carriers that are paused; expires calls that waited too long; completes batches; deletes old data and workers that are gone.
 */
import { Context, DateTime, Effect, Exit, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as AuditEntry from "../domain/AuditEntry.ts"
import * as Limits from "../domain/Limits.ts"
import { ClockSteps } from "../time/ClockSteps.ts"
import { LineReports } from "../telephony/LineReports.ts"
import { carriersOf, type CarrierView, Telephony } from "../telephony/Telephony.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { batchCompleted } from "../rules/event/EventBodies.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { forDueAccounts, roundRobin } from "../loop/AccountPoller.ts"
import { RetentionSweeper } from "../privacy/RetentionSweeper.ts"
import { CallStore } from "../call/CallStore.ts"
import { ConsoleStore } from "../console/ConsoleStore.ts"
import { CarrierChecks } from "./CarrierChecks.ts"
import { ConversationStore } from "../conversation/ConversationStore.ts"
import { DispatchStore, type StaleCall } from "./DispatchStore.ts"
import { EventStore } from "../event/EventStore.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { StorageStats } from "../storage/StorageStats.ts"
import { WorkerStore } from "../worker/WorkerStore.ts"
import { WorkStore } from "../storage/WorkStore.ts"

const accountsPerRound = 64
const callsPerAccount = 200

/** Of a batch that is completed all calls are read, up to a thousand. */
const batchesPerAccount = 50

/** How long to wait for a carrier. A look-up without an answer is repeated after the next lease, and blocks no other call. */
const carrierTimeout = "15 seconds"

/** How often calls without a node are logged. What could not be read is read again in the next round. */
const unattendedEvery = (exit: Exit.Exit<unknown, unknown>) => Exit.isSuccess(exit) ? "5 minutes" : "0 seconds"

/** Small sets keep locks short. */
const eventsPerAccount = 1000
const auditEntriesAtOnce = 1000

export class Janitor extends Context.Service<Janitor, {
  /** Handles stale, expired, completed and old work. Returns how many items it handled. */
  readonly runOnce: Effect.Effect<number, StorageError>
}>()("@outdial/core/dispatch/Janitor") {
  static readonly layer = Layer.effect(
    Janitor,
    Effect.gen(function*() {
      const callStore = yield* CallStore
      const dispatchStore = yield* DispatchStore
      const conversationStore = yield* ConversationStore
      const workStore = yield* WorkStore
      const eventStore = yield* EventStore
      const workerStore = yield* WorkerStore
      const consoleStore = yield* ConsoleStore
      const storageStats = yield* StorageStats
      const lines = carriersOf(yield* Telephony)
      const reports = yield* LineReports
      const wakeups = yield* Wakeups
      const { mayRemove } = yield* ClockSteps
      const sweeper = yield* RetentionSweeper
      const carrierChecks = yield* CarrierChecks
      const rules = yield* CallingRules
      // A carrier that does not know another carrier's call would report it as lost.
      const carriers = [...lines.keys()]

      /** A claim that was not submitted proves that nothing was sent; storage sees to it that it still is not. */
      const unclaim = Effect.fnUntraced(function*(accountId: AccountId, { callId, token }: StaleCall) {
        const now = yield* DateTime.now
        yield* withEventWriter(
          { now },
          (events) =>
            dispatchStore.returnToQueue({ accountId, callIds: [callId], token, now, reason: "not_submitted", events })
        )
      })

      const lookUp = Effect.fn("Janitor.lookUp")(function*(
        accountId: AccountId,
        { callId, callerId, carrier: name = carriers[0], carrierCallId, hangUpAt, phoneNumber }: StaleCall,
        submittedAt: DateTime.Utc
      ) {
        const carrier = name === undefined ? undefined : lines.get(name)
        // It was claimed for these carriers alone.
        if (carrier === undefined) return
        const placed = {
          accountId,
          callId,
          phoneNumber,
          submittedAt,
          ...(callerId !== undefined && { callerId }),
          ...(carrierCallId !== undefined && { carrierCallId })
        }
        // The provider has not ended the call, or the carrier has not reported its end.
        if (hangUpAt !== undefined) yield* Effect.timeoutOption(carrier.hangUp(placed), carrierTimeout)
        const view = yield* carrier.lookUp(placed).pipe(
          Effect.timeoutOrElse({
            duration: carrierTimeout,
            orElse: () => Effect.succeed<CarrierView>({ _tag: "Unreachable" })
          })
        )
        const now = yield* DateTime.now
        switch (view._tag) {
          case "Live":
          case "Unreachable":
            // The claim renewed the lease: the call is looked up again when that has run out.
            return
          case "Ended":
            yield* reports.report({ accountId, callId, event: view.event })
            return
          case "NotFound":
            if (DateTime.isLessThan(now, DateTime.addDuration(submittedAt, carrier.notFoundLag))) return
            yield* reports.report({
              accountId,
              callId,
              event: {
                _tag: "Ended",
                at: now,
                result: "failed",
                code: "carrier_lost",
                transcript: [],
                recorded: false
              }
            })
            return
          default:
            return view satisfies never
        }
      })

      /** Calls that waited for the last words of a conversation whose process is gone. */
      const settleEnds = Effect.fn("Janitor.settleEnds")(function*(accountId: AccountId) {
        const now = yield* DateTime.now
        const limit = callsPerAccount
        const settled = yield* withEventWriter(
          { now },
          (events) => conversationStore.settleEnds({ accountId, now, limit, events })
        )
        if (settled > 0) {
          yield* Effect.forEach(["dial", "outcome", "delivery"] as const, (topic) => wakeups.notify(topic, accountId))
        }
        return settled
      })

      const reconcile = Effect.fn("Janitor.reconcile")(function*(accountId: AccountId) {
        const settled = yield* settleEnds(accountId)
        const stale = yield* dispatchStore.claimStaleCalls({
          accountId,
          carriers,
          now: yield* DateTime.now,
          limit: callsPerAccount
        })
        yield* Effect.forEach(
          stale,
          (call) =>
            call.submittedAt === undefined ? unclaim(accountId, call) : lookUp(accountId, call, call.submittedAt),
          { concurrency: 16, discard: true }
        )
        return settled + stale.length
      })

      /** Calls without a live node. Operators have to start a node with the carrier; this node cannot settle them. */
      const warnOfStranded = yield* Effect.cachedWithTTL(
        Effect.gen(function*() {
          for (const { calls, carrier, since } of yield* storageStats.strandedCalls(yield* DateTime.now)) {
            yield* Effect.logWarning(
              `${
                calls === 1 ? "A live call" : `${calls} live calls`
              } of the carrier "${carrier}" cannot be looked up since ` +
                `${DateTime.formatIso(since)}: no running worker has that carrier. Start one that has it`
            )
          }
        }),
        unattendedEvery
      )

      /** Waiting calls whose carrier only another node has, and none does. Nothing is dialed over another carrier, and they expire. */
      const warnOfMissing = yield* Effect.cachedWithTTL(
        Effect.gen(function*() {
          for (const { carrier, since } of yield* storageStats.missingCarriers(yield* DateTime.now)) {
            // This worker may not be listed yet.
            if (lines.has(carrier)) continue
            yield* Effect.logWarning(
              `Calls wait for the carrier "${carrier}" since ${
                DateTime.formatIso(since)
              }: a route has chosen it, and no running worker ` +
                "has it. Start one that has it, or one with routes that lead these calls elsewhere"
            )
          }
        }),
        unattendedEvery
      )

      const expire = Effect.fn("Janitor.expire")(function*(accountId: AccountId) {
        const now = yield* DateTime.now
        const limit = callsPerAccount
        const expired = yield* withEventWriter(
          { now },
          (events) => dispatchStore.expireCalls({ accountId, now, limit, rules, events })
        )
        if (expired > 0) yield* wakeups.notify("delivery", accountId)
        return expired
      })

      const complete = Effect.fn("Janitor.complete")(function*(accountId: AccountId) {
        const now = yield* DateTime.now
        const completed = yield* callStore.completeBatches({
          accountId,
          now,
          limit: batchesPerAccount,
          event: ({ batch, calls }) => batchCompleted(batch, calls, now)
        })
        if (completed > 0) yield* wakeups.notify("delivery", accountId)
        return completed
      })

      const prune = Effect.fn("Janitor.prune")(function*(accountId: AccountId) {
        const before = DateTime.subtractDuration(yield* DateTime.now, Limits.eventRetention)
        return yield* eventStore.prune({ accountId, before, limit: eventsPerAccount })
      })

      /** Workers that were killed, which could not take themselves off the list. */
      const forgetWorkers = Effect.gen(function*() {
        return yield* workerStore.prune(DateTime.subtractDuration(yield* DateTime.now, Limits.workerRetention))
      })

      /** Links and sessions that have expired, and old entries of the audit log. */
      const pruneConsole = Effect.gen(function*() {
        const now = yield* DateTime.now
        const entriesBefore = DateTime.subtractDuration(now, AuditEntry.retention)
        return yield* consoleStore.prune({ now, entriesBefore, limit: auditEntriesAtOnce })
      })

      const sweep = yield* roundRobin(workStore, { kind: "sweep", limit: accountsPerRound }, sweeper.sweep)
      const limit = accountsPerRound
      /** A wrong clock would delete data for good. */
      const whenTrusted = (remove: Effect.Effect<number, StorageError>) =>
        Effect.flatMap(mayRemove, (may) => may ? remove : Effect.succeed(0))
      return Janitor.of({
        runOnce: Effect.map(
          Effect.all([
            forDueAccounts(workStore, { kind: "lease", limit, carriers }, reconcile),
            Effect.as(warnOfStranded, 0),
            Effect.as(warnOfMissing, 0),
            carrierChecks.runOnce,
            forDueAccounts(workStore, { kind: "expiry", limit }, expire),
            forDueAccounts(workStore, { kind: "batch", limit }, complete),
            whenTrusted(forDueAccounts(workStore, { kind: "retention", limit }, prune)),
            whenTrusted(sweep),
            whenTrusted(pruneConsole),
            forgetWorkers
          ]),
          (done) => done.reduce((sum, n) => sum + n, 0)
        )
      })
    })
  )
}
