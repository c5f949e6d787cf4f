/**
 * A lane: the waiting calls of one account whose calling hours open and close together, because they were planned by
 * the same version of its policy and the same time zone data, for the same zones. Closing a lane is one write, however
 * many calls wait in it.
 */
import { Schema } from "effect"
import { AgentId } from "./Ids.ts"

export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

/** What calls were planned by. Lanes planned by anything else than the present values are replanned. */
export interface Plan {
  /** The account's when the calls were planned. */
  readonly planVersion: number
  /** The version of the time zone data, if known. */
  readonly timeZoneData?: string
}

/** The common properties of the calls of a lane. */
export interface LaneParts extends Plan {
  /** All zones that the callee may be in; none when that is not known. */
  readonly timeZones: ReadonlyArray<string>
  /** Only if the policy has rules for this agent. */
  readonly agentId?: AgentId
}

/** Stands for a time zone when the rules failed to determine one. Such a lane stays closed until its calls are replanned. */
export const failed = "rule_failed"

/** The lane with these parts. The order of the zones does not matter. */
export const make = ({ agentId, timeZones, ...plan }: LaneParts): Lane =>
  Lane.make(`${planned(plan)}${[...timeZones].sort().join(",")}|${agentId ?? ""}`)

/** The prefix of the name of every lane planned by these versions. */
export const planned = ({ planVersion, timeZoneData }: Plan): string =>
  `${planVersion}${timeZoneData === undefined ? "" : `@${timeZoneData}`}|`

export const isPlannedBy = (lane: Lane, plan: Plan): boolean => lane.startsWith(planned(plan))

/** The same lane with the prefix of these versions, whatever prefix it has. A name in any other form is one part. */
export const plannedBy = (lane: Lane, plan: Plan): Lane => Lane.make(planned(plan) + lane.slice(lane.indexOf("|") + 1))

/** The parts of a lane's name. */
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
