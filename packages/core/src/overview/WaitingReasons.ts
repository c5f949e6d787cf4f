/** Why the waiting calls of an account wait, by what the rules say about their lanes now. */
import { DateTime, Duration } from "effect"
import { AgentId } from "../domain/Ids.ts"
import * as Lane from "../domain/Lane.ts"
import * as Limits from "../domain/Limits.ts"
import type { StatusCode } from "../domain/StatusCode.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import { type AccountFacts, unknownNumber } from "../rules/policy/DialFacts.ts"
import type { Hold } from "../domain/Call.ts"
import type { WaitingLane } from "./OverviewStore.ts"

/** Waiting calls that wait for the same. */
export interface WaitingReason {
  /** Absent: nothing holds them. */
  readonly code?: StatusCode
  readonly calls: number
  /** When the first of them is due; absent if that is not known. */
  readonly firstDue?: DateTime.Utc
}

/** How many calls wait. */
export const waitingCalls = (lanes: ReadonlyArray<WaitingLane>): number =>
  lanes.reduce((sum, { due, later }) => sum + (due?.calls ?? 0) + later.reduce((sum, { calls }) => sum + calls, 0), 0)

/** The reasons, that of the most calls first. */
export const waitingReasons = (
  rules: Pick<DialRules, "holdOf">,
  lanes: ReadonlyArray<WaitingLane>,
  facts: AccountFacts
): ReadonlyArray<WaitingReason> => {
  const reasons = new Map<StatusCode | undefined, WaitingReason>()
  const add = ({ calls, code, firstDue }: WaitingReason) => {
    const known = reasons.get(code)
    const first = known?.firstDue === undefined || firstDue === undefined
      ? known?.firstDue ?? firstDue
      : DateTime.min(known.firstDue, firstDue)
    reasons.set(code, {
      calls: (known?.calls ?? 0) + calls,
      ...(code !== undefined && { code }),
      ...(first !== undefined && { firstDue: first })
    })
  }
  for (const lane of lanes) {
    const hold = holdOfLane(rules, lane, facts)
    if (lane.due !== undefined) add(reasonOf(hold, lane.due.calls, hold === undefined ? lane.due.first : hold.until))
    for (const { calls, first, statusCode } of lane.later) {
      if (hold !== undefined && (statusCode === undefined || isStop(hold))) add(reasonOf(hold, calls, hold.until))
      else {
        const due = hold?.until === undefined ? first : DateTime.max(first, hold.until)
        add(reasonOf(statusCode === undefined ? undefined : { code: statusCode }, calls, due))
      }
    }
  }
  return [...reasons.values()].filter(({ calls }) => calls > 0).sort((one, other) => other.calls - one.calls)
}

const reasonOf = (
  hold: Pick<Hold, "code"> | undefined,
  calls: number,
  firstDue: DateTime.Utc | undefined
): WaitingReason => ({
  calls,
  ...(hold !== undefined && { code: hold.code }),
  ...(firstDue !== undefined && { firstDue })
})

/** What holds a call of the lane that nothing of its own holds. */
const holdOfLane = (rules: Pick<DialRules, "holdOf">, { lane, phoneNumber }: WaitingLane, facts: AccountFacts) =>
  rules.holdOf({
    agentId: Lane.parts(lane).agentId ?? noAgent,
    phoneNumber,
    lane,
    expiresAt: DateTime.addDuration(facts.now, Duration.times(Limits.horizon, 2)),
    unavailableCount: 0
  }, { ...facts, number: unknownNumber })

/** Whether the hold has no known end and is no matter of seconds: what a call of its own waits for is then beside the point. */
const isStop = ({ code, until }: Hold): boolean =>
  until === undefined && code !== "lines_busy" && code !== "calls_per_second"

/** A lane names its agent if the policy has rules for it. */
const noAgent = AgentId.make("00000000-0000-4000-8000-000000000000")
