/**
 * A lane: the waiting calls of one account whose calling hours open and close together, because they were planned by
 * the same version of its policy and the same time zone data, for the same zones. Closing a lane is one write, however
 * many calls wait in it. With several carriers, the calls of a lane also go over the same one.
 */
import { Schema } from "effect"
import { AgentId, type CarrierName } from "./Ids.ts"

export const Lane = Schema.String.pipe(Schema.brand("Lane"))
export type Lane = typeof Lane.Type

/** What calls were planned by. Lanes planned by anything else than the present values are replanned. */
export interface Plan {
  /** The account's when the calls were planned. */
  readonly planVersion: number
  /** The version of the time zone data, if known; with several carriers, and of their routes. */
  readonly timeZoneData?: string
}

/** The common properties of the calls of a lane. */
export interface LaneParts extends Plan {
  /** All zones that the callee may be in; none when that is not known. */
  readonly timeZones: ReadonlyArray<string>
  /** Only if the policy has rules for this agent. */
  readonly agentId?: AgentId
  /** The carrier of the calls, then those that are tried when it is unavailable. Absent when the lane names none. */
  readonly carriers?: ReadonlyArray<CarrierName>
}

/** Stands for a time zone when the rules failed to determine one. Such a lane stays closed until its calls are replanned. */
export const failed = "rule_failed"

/** The lane with these parts. The order of the zones does not matter. */
export const make = ({ agentId, carriers, timeZones, ...plan }: LaneParts): Lane => {
  const lane = Lane.make(`${planned(plan)}${[...timeZones].sort().join(",")}|${agentId ?? ""}`)
  return carriers === undefined ? lane : over(lane, carriers)
}

/** The prefix of the name of every lane planned by these versions. */
export const planned = ({ planVersion, timeZoneData }: Plan): string =>
  `${planVersion}${timeZoneData === undefined ? "" : `@${timeZoneData}`}|`

export const isPlannedBy = (lane: Lane, plan: Plan): boolean => lane.startsWith(planned(plan))

/** The same lane with the prefix of these versions, whatever prefix it has. A name in any other form is one part. */
export const plannedBy = (lane: Lane, plan: Plan): Lane => Lane.make(planned(plan) + lane.slice(lane.indexOf("|") + 1))

/** Before the names of the carriers, after the plan. No time zone begins with it. */
const route = ">"

/** Whether a lane can name the carrier. */
export const canName = (carrier: string): boolean => !/[|,]/u.test(carrier)

/** The carriers that the lane names; none without a route. */
export const carriersOf = (lane: Lane): ReadonlyArray<CarrierName> => {
  const rest = lane.slice(lane.indexOf("|") + 1)
  // Names are written by `over` alone.
  return rest.startsWith(route) ? rest.slice(1, rest.indexOf("|")).split(",") as Array<CarrierName> : []
}

/** The carrier that the lane's calls are dialed over; `undefined` when the lane names none. */
export const carrierOf = (lane: Lane): CarrierName | undefined => carriersOf(lane)[0]

/** The lane without its carriers. */
export const withoutRoute = (lane: Lane): Lane => {
  const start = lane.indexOf("|") + 1
  return lane.startsWith(route, start)
    ? Lane.make(lane.slice(0, start) + lane.slice(lane.indexOf("|", start) + 1))
    : lane
}

/** The same lane over these carriers. */
export const over = (lane: Lane, carriers: ReadonlyArray<CarrierName>): Lane => {
  const bare = withoutRoute(lane)
  const start = bare.indexOf("|") + 1
  return Lane.make(`${bare.slice(0, start)}${route}${carriers.join(",")}|${bare.slice(start)}`)
}

/** The lane over its next carrier that is not paused: the same one when it names no other. The last carrier is followed by the first. */
export const overNext = (lane: Lane, paused: ReadonlySet<CarrierName>): Lane => {
  const carriers = carriersOf(lane)
  const next = carriers.findIndex((carrier, index) => index > 0 && !paused.has(carrier))
  return next === -1 ? lane : over(lane, [...carriers.slice(next), ...carriers.slice(0, next)])
}

/** The parts of a lane's name. */
export const parts = (lane: Lane): LaneParts => {
  const [plan = "", timeZones = "", agentId = ""] = withoutRoute(lane).split("|")
  const [planVersion = "", timeZoneData] = plan.split("@")
  const carriers = carriersOf(lane)
  return {
    planVersion: Number(planVersion),
    ...(timeZoneData !== undefined && { timeZoneData }),
    timeZones: timeZones === "" ? [] : timeZones.split(","),
    ...(agentId !== "" && { agentId: AgentId.make(agentId) }),
    ...(carriers.length > 0 && { carriers })
  }
}
