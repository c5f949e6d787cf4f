/**
 * Pauses dialing over a carrier of this process when the carrier refuses the operator's account, and checks whether it takes calls again.
 * No call fails meanwhile: calls wait as `carrier_paused`. An operator's own pause is left alone.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import * as CarrierReason from "../domain/CarrierReason.ts"
import type { CarrierName } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import * as CarrierPauses from "../rules/dispatch/CarrierPauses.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { CarrierStore } from "../telephony/CarrierStore.ts"
import { carriersOf, type DialFailed, Telephony } from "../telephony/Telephony.ts"

/** How long a carrier may take for a check. */
const checkTimeout = "30 seconds"

export class CarrierChecks extends Context.Service<CarrierChecks, {
  /** Pauses the carrier after a dial that failed as `not_authorized`. Logs an error the first time. */
  readonly pause: (carrier: CarrierName, failure: DialFailed) => Effect.Effect<void, StorageError>
  /** Checks the carriers for which that is due, and resumes those that take calls again. Returns how many checks were made. */
  readonly runOnce: Effect.Effect<number, StorageError>
  /** While a carrier is paused for a fault and can be checked. */
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
}>()("@outdial/core/dispatch/CarrierChecks") {
  static readonly layer = Layer.effect(
    CarrierChecks,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const carrierStore = yield* CarrierStore
      const carriers = carriersOf(yield* Telephony)
      const wakeups = yield* Wakeups
      const checks = [...carriers].flatMap(([carrier, { check }]) => check === undefined ? [] : [{ carrier, check }])

      const pause = Effect.fn("CarrierChecks.pause")(function*(carrier: CarrierName, { carrierReason }: DialFailed) {
        const now = yield* DateTime.now
        const reason = carrierReason === undefined ? undefined : CarrierReason.shown(carrierReason)
        const isNews = yield* carrierStore.pause({
          carrier,
          now,
          by: "fault",
          ...(reason !== undefined && { reason })
        }).pipe(Effect.retry(whileStorageReturns))
        if (!isNews) return
        const refuses = CarrierReason.explained(`The carrier "${carrier}" takes no calls of this account`, reason ?? {})
        yield* Effect.logError(
          `${refuses} Dialing over it is paused, and calls wait as carrier_paused. Check its credentials, permissions and bill; ` +
            (carriers.get(carrier)?.check === undefined
              ? ""
              : "dialing resumes within a minute of a successful check, or ") +
            `with: outdial carriers resume ${carrier}`
        )
      })

      const checkOne = Effect.fnUntraced(function*({ carrier, check }: typeof checks[number]) {
        const now = yield* DateTime.now
        if (!(yield* carrierStore.claimCheck({ carrier, now, every: Limits.carrierCheckEvery }))) return 0
        const isWell = Option.getOrElse(yield* Effect.timeoutOption(check, checkTimeout), () => false)
        if (isWell && (yield* carrierStore.resume({ carrier, by: "fault" }))) {
          yield* Effect.logInfo(`The carrier "${carrier}" takes calls again: dialing over it has resumed`)
          for (const { id } of yield* accountStore.list) yield* wakeups.notify("dial", id)
        }
        return 1
      })

      const runOnce = Effect.forEach(checks, checkOne, { concurrency: "unbounded" }).pipe(
        Effect.map((made) => made.reduce<number>((sum, n) => sum + n, 0)),
        Effect.withSpan("CarrierChecks.runOnce")
      )

      const nextDueAt = Effect.gen(function*() {
        if (checks.length === 0) return Option.none()
        const due = (yield* carrierStore.list).flatMap(({ name, pause }) => {
          const isChecked = checks.some(({ carrier }) => carrier === name)
          const at = isChecked && pause !== undefined
            ? CarrierPauses.checkAt(pause, Limits.carrierCheckEvery)
            : undefined
          return at === undefined ? [] : [at]
        })
        return Option.fromUndefinedOr(due.sort(DateTime.Order)[0])
      })

      return CarrierChecks.of({ pause, runOnce, nextDueAt })
    })
  )
}
