/**
 * A lane: the waiting calls of one account that its calling hours open and close for together, because they were planned by
 * the same version of its policy for the same time zones. That a lane is closed is one fact, however many calls wait in it.
 */
import { Schema } from "effect"
import { AgentId } from "./Ids.ts"

export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

/** What the calls of a lane have in common. */
export interface LaneParts {
  /** The account's when the calls were planned; a lane of an earlier version is planned anew. */
  readonly planVersion: number
  /** All zones that the callee may be in; none when that is not known. */
  readonly timeZones: ReadonlyArray<string>
  /** Only where the policy has rules of its own for the agent. */
  readonly agentId?: AgentId
}

/** The lane with these parts, in whatever order the zones are named. */
export const make = ({ agentId, planVersion, timeZones }: LaneParts): Lane =>
  Lane.make(`${planVersion}|${[...timeZones].sort().join(",")}|${agentId ?? ""}`)

/** The parts that the lane was made of. */
export const parts = (lane: Lane): LaneParts => {
  const [planVersion = "", timeZones = "", agentId = ""] = lane.split("|")
  return {
    planVersion: Number(planVersion),
    timeZones: timeZones === "" ? [] : timeZones.split(","),
    ...(agentId !== "" && { agentId: AgentId.make(agentId) })
  }
}
