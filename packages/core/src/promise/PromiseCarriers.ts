/** The carriers of a deployment in promises and plain objects. */
import { DateTime, Effect, Schema } from "effect"
import { Carriers } from "../dispatch/Carriers.ts"
import type { Carrier } from "../domain/Carrier.ts"
import type { CarrierReason } from "../domain/CarrierReason.ts"
import { NotFound } from "../domain/Errors.ts"
import { CarrierName } from "../domain/Ids.ts"
import type { Run } from "./AccountClient.ts"

/** A carrier as hosts without Effect see it. */
export interface HostCarrier {
  readonly name: string
  /** Absent while it dials. */
  readonly pause?: {
    readonly at: Date
    /** `operator`: until it is resumed. `fault`: the carrier refused the account; a check that succeeds resumes it as well. */
    readonly by: "fault" | "operator"
    /** What the carrier said. */
    readonly reason?: CarrierReason
    /** When the carrier was last checked, or paused for a fault. */
    readonly checkedAt?: Date
  }
}

const hostCarrier = ({ name, pause }: Carrier): HostCarrier => {
  if (pause === undefined) return { name }
  const { at, checkedAt, ...others } = pause
  return {
    name,
    pause: {
      ...others,
      at: DateTime.toDateUtc(at),
      ...(checkedAt !== undefined && { checkedAt: DateTime.toDateUtc(checkedAt) })
    }
  }
}

export interface HostCarriers {
  /** The carriers of live workers, and those that were ever paused or have a limit of calls per second; by name. */
  readonly list: () => Promise<ReadonlyArray<HostCarrier>>
  /**
   * Stops dialing over the carrier until `resume`; its calls wait as `carrier_paused`, and live calls go on. Once it has resolved, only a call
   * that was being sent at that moment may still ring. Rejects with `not_found` for a name that `list` does not have.
   */
  readonly pause: (name: string) => Promise<HostCarrier>
  /** Allows dialing over the carrier again, whatever has paused it. Rejects as `pause` does. */
  readonly resume: (name: string) => Promise<HostCarrier>
}

const isName = Schema.is(CarrierName)

export const make = (run: Run): HostCarriers => {
  const change = (name: string, method: "pause" | "resume") =>
    run(Effect.gen(function*() {
      if (!isName(name)) return yield* new NotFound({ what: "carrier of that name" })
      const carriers = yield* Carriers
      return hostCarrier(yield* carriers[method](name))
    }))
  return {
    list: () => run(Effect.map(Effect.flatMap(Carriers, ({ list }) => list), (all) => all.map(hostCarrier))),
    pause: (name) => change(name, "pause"),
    resume: (name) => change(name, "resume")
  }
}
