/** What nodes share about carriers. */
import { Ids } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Duration } from "effect"
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
  },
  pause_carrier: (knowledge, _, n) => {
    const now = nowOf(knowledge)
    const by = n % 2 === 0 ? "fault" : "operator"
    return step((storage) => storage.carriers.pause({ carrier: Factories.carrier, now, by }))
  },
  resume_carrier: (_knowledge, _known, n) =>
    step((storage) => storage.carriers.resume({ carrier: Factories.carrier, ...(n % 3 === 0 && { by: "fault" }) })),
  check_carrier: (knowledge) => {
    const now = nowOf(knowledge)
    return step((storage) =>
      storage.carriers.claimCheck({ carrier: Factories.carrier, now, every: Duration.seconds(60) })
    )
  }
} satisfies { readonly [act: string]: Make }
