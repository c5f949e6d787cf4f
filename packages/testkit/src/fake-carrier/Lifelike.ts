/** How a fake behaves that people try: its contacts take their time, and numbers choose what becomes of a call, as with the simulator. */
import { byLastDigit, type Callee, lifelike } from "./Callee.ts"
import type { FakeCallsOptions, Fault } from "./FakeCalls.ts"

export interface StartOptions {
  /** How many times faster than people the contacts are. Default: 1. */
  readonly speed?: number
}

const talks: Callee = { _tag: "Talks", says: ["Hello.", "Yes, I will.", "No, nothing has changed."] }

const callee = (to: string): Callee => {
  const chosen = byLastDigit(to)
  return chosen._tag === "Talks" && chosen.hangsUp !== true ? talks : chosen
}

/** Of the numbers that end in 9: 09 is refused, 19 is too much twice, 29 rings but the response is lost, and 39 never arrives. */
const faults = (): (to: string) => Fault | undefined => {
  const refused = new Map<string, number>()
  return (to) => {
    switch (to.slice(-2)) {
      case "09":
        return "refused"
      case "19": {
        const times = (refused.get(to) ?? 0) + 1
        refused.set(to, times)
        return times > 2 ? undefined : "too_many"
      }
      case "29":
        return "response_lost"
      case "39":
        return "reset"
      default:
        return undefined
    }
  }
}

export const options = (
  { speed = 1 }: StartOptions
): Pick<FakeCallsOptions<never>, "callee" | "fault" | "timings"> => ({
  callee,
  fault: faults(),
  timings: lifelike(speed)
})

/** The number that calls come from. */
export const callerId = "+14155550100"
