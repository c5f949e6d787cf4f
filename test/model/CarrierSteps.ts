/** What nodes share about carriers. */
import { Ids } from "@outdial/core"
import { type Knowledge, type Known, nothing, nowOf, pick, type Step, step } from "./Knowledge.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const carrier = Ids.CarrierName.make("limited")

const rates = [0.5, 1, 5, 50]

export const steps = {
  take_slots: (knowledge, known, n) => {
    const now = nowOf(knowledge)
    const callsPerSecond = pick(rates, n) ?? 1
    return step((storage) => storage.carriers.takeSlots({ carrier, callsPerSecond, now }), {
      learn: ({ taken }) => {
        if (taken > 0) known.slots.push({ takenAt: now, taken })
      }
    })
  },
  return_slots: (_, known, n) => {
    const slots = pick(known.slots.toReversed(), n >> 2)
    return slots === undefined
      ? nothing
      : step((storage) =>
        storage.carriers.returnSlots({ carrier, takenAt: slots.takenAt, unused: Math.min(slots.taken, 1 + n % 4) })
      )
  }
} satisfies { readonly [act: string]: Make }
