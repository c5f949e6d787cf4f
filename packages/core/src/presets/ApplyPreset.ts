/**
 * Narrows a policy by a preset: the result keeps every rule of both. It never allows what the policy forbade, since
 * absent fields count with their defaults, and never allows what the preset forbids.
 */
import * as Limits from "../domain/Limits.ts"
import { type AgentPolicy, complete, type NumberLimit, type PolicyDocument } from "../domain/Policy.ts"
import * as LimitComparison from "./LimitComparison.ts"
import type { Preset } from "./Preset.ts"
import * as WeekMinutes from "./WeekMinutes.ts"

/**
 * Calling hours are those in which both are open, the longer gap holds, and limits are combined. Overrides of agents
 * are narrowed alike. Fields that the preset does not mention are unchanged; its owner has to add holidays.
 */
export const apply = (document: PolicyDocument, preset: Preset): PolicyDocument => {
  const { callingHours, numberLimits, recallGapSeconds } = complete(document)
  const agents = Object.entries(document.agents ?? {})
  return {
    ...document,
    ...narrowed({ callingHours, recallGapSeconds }, preset),
    ...(preset.policy.numberLimits !== undefined && {
      numberLimits: together(numberLimits, preset.policy.numberLimits)
    }),
    ...(document.agents !== undefined && {
      agents: Object.fromEntries(agents.map(([id, agent]) => [id, { ...agent, ...narrowed(agent, preset) }]))
    })
  }
}

/** The written fields that the preset has a rule for. */
const narrowed = (
  { callingHours, recallGapSeconds }: Pick<AgentPolicy, "callingHours" | "recallGapSeconds">,
  { policy }: Preset
): AgentPolicy => ({
  ...(callingHours !== undefined && { callingHours: WeekMinutes.inBoth(callingHours, policy.callingHours) }),
  ...(recallGapSeconds !== undefined && policy.recallGapSeconds !== undefined && {
    recallGapSeconds: Math.max(recallGapSeconds, policy.recallGapSeconds)
  })
})

/** Limits that together imply all of both, without those that another one implies. */
const together = (
  own: ReadonlyArray<NumberLimit>,
  added: ReadonlyArray<NumberLimit>
): ReadonlyArray<NumberLimit> => {
  const needed: Array<NumberLimit> = []
  for (const limit of [...own, ...added]) {
    if (needed.some((other) => LimitComparison.implies(other, limit))) continue
    needed.splice(0, needed.length, ...needed.filter((other) => !LimitComparison.implies(limit, other)), limit)
  }
  if (needed.length <= Limits.numberLimits) return needed
  const surplus = needed.slice(Limits.numberLimits - 1)
  // The smallest number in the longest window implies each of them.
  const strictest = {
    max: Math.min(...surplus.map(({ max }) => max)),
    windowSeconds: Math.max(...surplus.map(({ windowSeconds }) => windowSeconds))
  }
  return [...needed.slice(0, Limits.numberLimits - 1), strictest]
}
