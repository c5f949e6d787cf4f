/** The rules and policies of the model: each policy holds calls in another way. */
import { DialDecision, Ids, Lane, type Policy } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import type { Knowledge } from "./Knowledge.ts"

const hour = 3_600_000

const real = DialDecision.make({
  offset: (zone) => ({ offsetMs: zone === "Far/Away" ? 5 * hour : 0, until: Number.MAX_SAFE_INTEGER }),
  originOf: () => ({ country: "US", isValid: true }),
  zonesOf: ({ phoneNumber }) => [Number(phoneNumber) % 2 === 0 ? "Etc/UTC" : "Far/Away"]
})

// One for each version, as an engine has it: storage does together only what goes by the same rules.
const rulesByVersion = new Map<Knowledge["zones"], DialDecision.DialRules>()

/** As a node judges whose data on time zones is this. */
export const rulesOf = (planData: Knowledge["zones"]): DialDecision.DialRules => {
  const rules = rulesByVersion.get(planData) ?? makeRules(planData)
  rulesByVersion.set(planData, rules)
  return rules
}

/** Those that calls are claimed for. */
export const carriers = [Factories.carrier, Ids.CarrierName.make("another")]

/** A third of the numbers has no route, and the others go over both carriers, beginning with either. */
const routed = (lane: Lane.Lane, number: number): Lane.Lane =>
  number % 3 === 0 ? lane : Lane.over(lane, number % 3 === 1 ? carriers : carriers.toReversed())

const makeRules = (planData: Knowledge["zones"]): DialDecision.DialRules => ({
  ...real,
  laneOf: (account, call) =>
    routed(
      Lane.plannedBy(real.laneOf(account, call), { planVersion: account.planVersion, planData }),
      Number(call.phoneNumber)
    )
})

const { openPolicy } = Factories

export const policies: ReadonlyArray<Policy.PolicyDocument> = [
  openPolicy,
  { ...openPolicy, callingHours: { mon: [{ start: "09:00", end: "12:00" }], tue: [{ start: "14:00", end: "15:00" }] } },
  { ...openPolicy, recallGapSeconds: 60 },
  { ...openPolicy, numberLimits: [{ max: 1, windowSeconds: 3600 }, { max: 2, windowSeconds: 86_400 }] },
  { ...openPolicy, dailyLimit: 2 },
  { ...openPolicy, callsPerSecond: 1 },
  { ...openPolicy, dailyLimit: 0 }
]
