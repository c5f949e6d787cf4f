/**
 * Replans waiting calls that were planned by an earlier policy, other time zone data or other routes, one set at a time,
 * concurrently with the dispatcher. The dispatcher replans the calls that it dials and never waits for this. Only engines whose
 * plan data are adopted replan, so that engines with different data do not undo each other's work. The others warn if their routes differ.
 */
import { Context, DateTime, Effect, Layer, Ref } from "effect"
import type { AccountId, CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as PlanData from "../domain/PlanData.ts"
import { carriersOf, Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { roundRobin } from "../loop/AccountPoller.ts"
import { DispatchStore } from "./DispatchStore.ts"
import { planDataOf } from "./RoutedRules.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { WorkStore } from "../storage/WorkStore.ts"

/** How often other routes are logged. */
const otherRoutesEvery = "5 minutes"

/** As many as are served at a time: each has a large set to plan. */
const accountsPerRound = 4

export class Replanner extends Context.Service<Replanner, {
  /** Adopts the engine's plan data, if it may, and replans calls if they are in use; returns how many. */
  readonly runOnce: Effect.Effect<number, StorageError>
}>()("@outdial/core/dispatch/Replanner") {
  static readonly layer = Layer.effect(
    Replanner,
    Effect.gen(function*() {
      const dispatchStore = yield* DispatchStore
      const workStore = yield* WorkStore
      const rules = yield* CallingRules
      const telephony = yield* Telephony
      const version = planDataOf(yield* TimeZones, telephony)
      const wakeups = yield* Wakeups
      const isStarting = yield* Ref.make(true)

      const adopt = Effect.gen(function*() {
        const options = { version, now: yield* DateTime.now, isStarting: yield* Ref.get(isStarting) }
        // Adoption may wait for a long transaction that pauses all accounts. An engine that stops need not wait for it.
        const adopted = yield* Effect.interruptible(dispatchStore.adoptPlanData(options))
        yield* Ref.set(isStarting, false)
        return adopted
      })

      const warnOfRoutes = yield* Effect.cachedWithTTL(
        Effect.logWarning(otherRoutes(carriersOf(telephony).keys(), version)),
        otherRoutesEvery
      )

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
      return Replanner.of({
        runOnce: Effect.gen(function*() {
          const adopted = yield* adopt
          if (adopted === version) return yield* round
          if (PlanData.routesOf(adopted) !== PlanData.routesOf(version)) yield* warnOfRoutes
          return 0
        })
      })
    })
  )
}

/** What it means that processes with other routes plan the waiting calls. */
const otherRoutes = (carriers: Iterable<CarrierName>, version: string): string => {
  const advice = "Give every process the same carriers and routes"
  if (PlanData.hasRoutes(version)) {
    return `Other processes plan the waiting calls, by other routes than this one. It plans the calls that it accepts by its own. ${advice}`
  }
  const [carrier] = carriers
  const left = carrier === undefined
    ? "The calls that it accepts are planned again by these"
    : `It dials only calls whose routes lead over its carrier "${carrier}", and leaves the others to these`
  return `This process has no routes, but others plan the waiting calls by theirs. ${left}. ${advice}`
}
