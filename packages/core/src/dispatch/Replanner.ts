/**
 * Plans waiting calls anew that were planned by another policy or by other data on time zones, a set at a time and beside
 * the dispatcher, which plans what it dials by itself and never waits for this. Of engines with different data on one
 * storage only those plan whose data was adopted, so that they do not undo each other's work.
 */
import { Context, DateTime, Effect, Layer, Ref } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { eventWriter } from "../rules/event/EventBodies.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { roundRobin } from "../loop/AccountPoller.ts"
import { DispatchStore } from "./DispatchStore.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { WorkStore } from "../storage/WorkStore.ts"

/** As many as are served at a time: each has a large set to plan. */
const accountsPerRound = 4

export class Replanner extends Context.Service<Replanner, {
  /** Adopts the engine's data on time zones, once for its start, and plans calls anew; answers how many. */
  readonly runOnce: Effect.Effect<number, StorageError>
}>()("@outdial/core/dispatch/Replanner") {
  static readonly layer = Layer.effect(
    Replanner,
    Effect.gen(function*() {
      const dispatchStore = yield* DispatchStore
      const workStore = yield* WorkStore
      const rules = yield* CallingRules
      const { version } = yield* TimeZones
      const wakeups = yield* Wakeups
      const isStarting = yield* Ref.make(true)

      const adopt = Effect.gen(function*() {
        const options = { version, now: yield* DateTime.now, isStarting: yield* Ref.get(isStarting) }
        // It may wait for whoever pauses everything in a long transaction, and an engine that stops need not.
        const isAdopted = yield* Effect.interruptible(dispatchStore.adoptTimeZones(options))
        yield* Ref.set(isStarting, false)
        return isAdopted
      })

      const replan = Effect.fn("Replanner.replan")(function*(accountId: AccountId) {
        const now = yield* DateTime.now
        const limit = Limits.replannedCalls
        const replanned = yield* dispatchStore.replanCalls({ accountId, now, limit, rules, events: eventWriter(now) })
        if (replanned > 0) yield* wakeups.notify("dial", accountId)
        return replanned
      })

      const round = yield* roundRobin(workStore, { kind: "plan", limit: accountsPerRound }, replan)
      return Replanner.of({ runOnce: Effect.flatMap(adopt, (isAdopted) => isAdopted ? round : Effect.succeed(0)) })
    })
  )
}
