/**
 * A lane: the waiting calls of one account that its calling hours open and close for together, because they were planned by
 * the same version of its policy and the same data on time zones, for the same zones. That a lane is closed is one fact,
 * however many calls wait in it.
 */
import { Schema } from "effect"
import { AgentId } from "./Ids.ts"

export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

/** What calls were planned by; those of a lane that was planned by anything else than what is valid now are planned anew. */
export interface Plan {
  /** The account's when the calls were planned. */
  readonly planVersion: number
  /** The version of the data on time zones; absent where nobody has said which it was. */
  readonly timeZoneData?: string
}

/** What the calls of a lane have in common. */
export interface LaneParts extends Plan {
  /** All zones that the callee may be in; none when that is not known. */
  readonly timeZones: ReadonlyArray<string>
  /** Only where the policy has rules of its own for the agent. */
  readonly agentId?: AgentId
}

/** In place of a time zone, where the rules failed to tell one: such a lane stays closed until calls are planned anew. */
export const failed = "rule_failed"

/** The lane with these parts, in whatever order the zones are named. */
export const make = ({ agentId, timeZones, ...plan }: LaneParts): Lane =>
  Lane.make(`${planned(plan)}${[...timeZones].sort().join(",")}|${agentId ?? ""}`)

/** How the name of every lane begins that was planned by this. */
export const planned = ({ planVersion, timeZoneData }: Plan): string =>
  `${planVersion}${timeZoneData === undefined ? "" : `@${timeZoneData}`}|`

export const isPlannedBy = (lane: Lane, plan: Plan): boolean => lane.startsWith(planned(plan))

/** The same lane, planned by this, whatever its maker says; a name of any other form stands for itself. */
export const plannedBy = (lane: Lane, plan: Plan): Lane => Lane.make(planned(plan) + lane.slice(lane.indexOf("|") + 1))

/** The parts that the lane was made of. */
export const parts = (lane: Lane): LaneParts => {
  const [plan = "", timeZones = "", agentId = ""] = lane.split("|")
  const [planVersion = "", timeZoneData] = plan.split("@")
  return {
    planVersion: Number(planVersion),
    ...(timeZoneData !== undefined && { timeZoneData }),
    timeZones: timeZones === "" ? [] : timeZones.split(","),
    ...(agentId !== "" && { agentId: AgentId.make(agentId) })
  }
}
