/** The state of carriers in memory. */
import { DateTime, Effect } from "effect"
import * as CarrierSlots from "../rules/dispatch/CarrierSlots.ts"
import type { Database } from "../storage/MemoryTables.ts"
import type { CarrierStore } from "./CarrierStore.ts"

export const make = ({ carrierSlots }: Database): CarrierStore["Service"] => ({
  takeSlots: ({ callsPerSecond, carrier, now }) =>
    Effect.sync(() => {
      const freeAt = CarrierSlots.freeAt(carrierSlots.get(carrier), callsPerSecond, now)
      if (DateTime.isGreaterThan(freeAt, now)) return { taken: 0, freeAt }
      const taken = CarrierSlots.most(callsPerSecond)
      carrierSlots.set(carrier, { at: now, count: taken })
      return { taken, freeAt: DateTime.addDuration(now, CarrierSlots.span(taken, callsPerSecond)) }
    }),
  returnSlots: ({ carrier, takenAt, unused }) =>
    Effect.sync(() => {
      const last = carrierSlots.get(carrier)
      if (last === undefined || !DateTime.Equivalence(last.at, takenAt)) return
      carrierSlots.set(carrier, { ...last, count: Math.max(0, last.count - unused) })
    })
})
