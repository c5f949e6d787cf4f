/**
 * Replans waiting calls that were planned by an earlier policy, other time zone data or other routes, one set at a time,
 * concurrently with the dispatcher. The dispatcher replans the calls that it dials and never waits for this. Only engines whose
 * data was adopted replan, so that engines with different data do not undo each other's work.
 */
import { Context, DateTime, Effect, Layer, Ref } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { roundRobin } from "../loop/AccountPoller.ts"
import { DispatchStore } from "./DispatchStore.ts"
import { planData } from "./RoutedRules.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { WorkStore } from "../storage/WorkStore.ts"

/** As many as are served at a time: each has a large set to plan. */
const accountsPerRound = 4

export class Replanner extends Context.Service<Replanner, {
  /** Adopts the engine's time zone data and routes, once at its start, and replans calls; returns how many. */
  readonly runOnce: Effect.Effect<number, StorageError>
}>()("@outdial/core/dispatch/Replanner") {
  static readonly layer = Layer.effect(
    Replanner,
    Effect.gen(function*() {
      const dispatchStore = yield* DispatchStore
      const workStore = yield* WorkStore
      const rules = yield* CallingRules
      const version = planData(yield* TimeZones, yield* Telephony)
      const wakeups = yield* Wakeups
      const isStarting = yield* Ref.make(true)

      const adopt = Effect.gen(function*() {
        const options = { version, now: yield* DateTime.now, isStarting: yield* Ref.get(isStarting) }
        // Adoption may wait for a long transaction that pauses all accounts. An engine that stops need not wait for it.
        const isAdopted = yield* Effect.interruptible(dispatchStore.adoptTimeZones(options))
        yield* Ref.set(isStarting, false)
        return isAdopted
      })

      const replan = Effect.fn("Replanner.replan")(function*(accountId: AccountId) {
        const now = yield* DateTime.now
        const limit = Limits.replannedCalls
        const replanned = yield* withEventWriter(
          { now },
          (events) => dispatchStore.replanCalls({ accountId, now, limit, rules, events })
        )
        if (replanned > 0) yield* wakeups.notify("dial", accountId)
        return replanned
      })

      const round = yield* roundRobin(workStore, { kind: "plan", limit: accountsPerRound }, replan)
      return Replanner.of({ runOnce: Effect.flatMap(adopt, (isAdopted) => isAdopted ? round : Effect.succeed(0)) })
    })
  )
}
