/** The state of carriers in memory. */
import { DateTime, Effect } from "effect"
import type { Carrier } from "../domain/Carrier.ts"
import type { CarrierName } from "../domain/Ids.ts"
import * as CarrierPauses from "../rules/dispatch/CarrierPauses.ts"
import * as CarrierSlots from "../rules/dispatch/CarrierSlots.ts"
import type { CarrierRow, Database } from "../storage/MemoryTables.ts"
import type { CarrierStore } from "./CarrierStore.ts"

export const make = ({ carriers }: Database): CarrierStore["Service"] => {
  const update = (carrier: CarrierName, change: Partial<CarrierRow>) =>
    void carriers.set(carrier, { ...carriers.get(carrier), ...change })

  return {
    takeSlots: ({ callsPerSecond, carrier, now }) =>
      Effect.sync(() => {
        const freeAt = CarrierSlots.freeAt(carriers.get(carrier)?.slots, callsPerSecond, now)
        if (DateTime.isGreaterThan(freeAt, now)) return { taken: 0, freeAt }
        const taken = CarrierSlots.most(callsPerSecond)
        update(carrier, { slots: { at: now, count: taken } })
        return { taken, freeAt: DateTime.addDuration(now, CarrierSlots.span(taken, callsPerSecond)) }
      }),
    returnSlots: ({ carrier, takenAt, unused }) =>
      Effect.sync(() => {
        const last = carriers.get(carrier)?.slots
        if (last === undefined || !DateTime.Equivalence(last.at, takenAt)) return
        update(carrier, { slots: { ...last, count: Math.max(0, last.count - unused) } })
      }),
    list: Effect.sync(() =>
      [...carriers].map(([name, { pause }]): Carrier => ({ name, ...(pause !== undefined && { pause }) }))
        .sort((a, b) => a.name < b.name ? -1 : 1)
    ),
    pause: ({ by, carrier, now, reason }) =>
      Effect.sync(() => {
        const pause = CarrierPauses.paused(carriers.get(carrier)?.pause, {
          at: now,
          by,
          ...(reason !== undefined && { reason })
        })
        if (pause !== undefined) update(carrier, { pause })
        return pause !== undefined
      }),
    resume: ({ by, carrier }) =>
      Effect.sync(() => {
        const { pause, ...row } = carriers.get(carrier) ?? {}
        if (pause === undefined || (by ?? pause.by) !== pause.by) return false
        carriers.set(carrier, row)
        return true
      }),
    claimCheck: ({ carrier, every, now }) =>
      Effect.sync(() => {
        const pause = carriers.get(carrier)?.pause
        if (pause === undefined || !CarrierPauses.isCheckDue(pause, every, now)) return false
        update(carrier, { pause: { ...pause, checkedAt: now } })
        return true
      })
  }
}
