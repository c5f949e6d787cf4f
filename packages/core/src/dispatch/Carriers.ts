/** The carriers of a deployment. Managed by the host and the command line, not over HTTP. */
import { Context, DateTime, Effect, Layer } from "effect"
import type { Carrier } from "../domain/Carrier.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { CarrierName } from "../domain/Ids.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { CarrierStore } from "../telephony/CarrierStore.ts"
import { Workers } from "../worker/Workers.ts"

export class Carriers extends Context.Service<Carriers, {
  /** The carriers of live workers, and those that were ever paused or have a limit of calls per second; by name. */
  readonly list: Effect.Effect<ReadonlyArray<Carrier>, Unavailable>
  /**
   * Stops dialing over the carrier until `resume`; calls wait as `carrier_paused`, and live calls go on. Once it returns, only a call that was
   * being sent at that moment may still ring. Safe to repeat.
   */
  readonly pause: (name: CarrierName) => Effect.Effect<Carrier, NotFound | Unavailable>
  /** Allows dialing over the carrier again, whatever has paused it. Safe to repeat. */
  readonly resume: (name: CarrierName) => Effect.Effect<Carrier, NotFound | Unavailable>
}>()("@outdial/core/dispatch/Carriers") {
  static readonly layer = Layer.effect(
    Carriers,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const carrierStore = yield* CarrierStore
      const wakeups = yield* Wakeups
      const workers = yield* Workers

      const list = Effect.gen(function*() {
        const stored = yield* orUnavailable(carrierStore.list)
        const live = (yield* workers.list).flatMap(({ carriers = [] }) => carriers)
        const names = new Set([...stored.map(({ name }) => name), ...live])
        return [...names].sort().map((name): Carrier => stored.find((one) => one.name === name) ?? { name })
      })

      /** The carrier, which must be known: a misspelled name would pause nothing. */
      const known = Effect.fnUntraced(function*(name: CarrierName) {
        const found = (yield* list).find((carrier) => carrier.name === name)
        return found ?? (yield* new NotFound({ what: `carrier ${name}` }))
      })

      return Carriers.of({
        list,
        pause: Effect.fn("Carriers.pause")(function*(name) {
          yield* known(name)
          yield* orUnavailable(carrierStore.pause({ carrier: name, now: yield* DateTime.now, by: "operator" }))
          return yield* known(name)
        }),
        resume: Effect.fn("Carriers.resume")(function*(name) {
          yield* known(name)
          if (yield* orUnavailable(carrierStore.resume({ carrier: name }))) {
            for (const { id } of yield* orUnavailable(accountStore.list)) yield* wakeups.notify("dial", id)
          }
          return yield* known(name)
        })
      })
    })
  )
}
