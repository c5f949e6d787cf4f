/**
 * A lane: the waiting calls of one account whose calling hours open and close together, because they were planned by
 * the same version of its policy and the same plan data, for the same zones. Closing a lane is one write, however
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
  /** The version of the time zone data and routes, as in `PlanData`, if known. */
  readonly planData?: string
}

/** The common properties of the calls of a lane. */
export interface LaneParts extends Plan {
  /** All zones that the callee may be in; none when that is not known. */
  readonly timeZones: ReadonlyArray<string>
  /** Only if the policy has rules for this agent. */
  readonly agentId?: AgentId
  /** The carriers of the calls, from the present one on: those that are tried when it is unavailable. Absent when the lane names none. */
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
export const planned = ({ planVersion, planData }: Plan): string =>
  `${planVersion}${planData === undefined ? "" : `@${planData}`}|`

export const isPlannedBy = (lane: Lane, plan: Plan): boolean => lane.startsWith(planned(plan))

/** The same lane with the prefix of these versions, whatever prefix it has. A name in any other form is one part. */
export const plannedBy = (lane: Lane, plan: Plan): Lane => Lane.make(planned(plan) + lane.slice(lane.indexOf("|") + 1))

/** Before the names of the carriers, after the plan; another `|` ends them. No time zone begins with it. */
const route = ">"

/** Between the carriers from the present one on, and those of the route that come before it. Absent in the order of the route. */
const before = ";"

/** Whether a lane can name the carrier. */
export const canName = (carrier: string): boolean => !/[|,;]/u.test(carrier)

/** `plannedBy` for a name that a host's rules made. One that begins as a route gets an empty route, so that it is not read as one. */
export const ofHost = (name: Lane, plan: Plan): Lane => {
  const lane = plannedBy(name, plan)
  const start = lane.indexOf("|") + 1
  return lane.startsWith(route, start) ? Lane.make(`${lane.slice(0, start)}${route}|${lane.slice(start)}`) : lane
}

/** The text of the lane's route, without the marks around it; `undefined` without a route. */
const routeOf = (lane: Lane): string | undefined => /^[^|]*\|>([^|]*)\|/u.exec(lane)?.[1]

const namesIn = (text: string | undefined): ReadonlyArray<CarrierName> =>
  // Names are written by `over` and `overAt` alone.
  text === undefined || text === "" ? [] : text.split(/[,;]/u) as Array<CarrierName>

/** The carriers that the lane names, from the present one on; none without a route. */
export const carriersOf = (lane: Lane): ReadonlyArray<CarrierName> => namesIn(routeOf(lane))

/** The carrier that the lane's calls are dialed over; `undefined` when the lane names none. */
export const carrierOf = (lane: Lane): CarrierName | undefined => carriersOf(lane)[0]

/** The carriers that the lane names, in the order of the route. */
export const carriersInOrder = (lane: Lane): ReadonlyArray<CarrierName> => {
  const [rest, earlier] = (routeOf(lane) ?? "").split(before)
  return [...namesIn(earlier), ...namesIn(rest)]
}

/** The lane without its carriers. */
export const withoutRoute = (lane: Lane): Lane => {
  const text = routeOf(lane)
  if (text === undefined) return lane
  const start = lane.indexOf("|") + 1
  return Lane.make(lane.slice(0, start) + lane.slice(start + route.length + text.length + 1))
}

/** The same lane over these carriers, in the order of the route. */
export const over = (lane: Lane, carriers: ReadonlyArray<CarrierName>): Lane => overAt(lane, carriers, 0)

/** The same lane over these carriers, whose calls have failed over to the one with this index unless it is 0. */
const overAt = (lane: Lane, carriers: ReadonlyArray<CarrierName>, index: number): Lane => {
  const bare = withoutRoute(lane)
  const start = bare.indexOf("|") + 1
  const rest = carriers.slice(index).join(",")
  const text = index === 0 ? rest : `${rest}${before}${carriers.slice(0, index).join(",")}`
  return Lane.make(`${bare.slice(0, start)}${route}${text}|${bare.slice(start)}`)
}

/** Whether the lane's calls go over another carrier than the first of their route. */
export const isFailedOver = (lane: Lane): boolean => routeOf(lane)?.includes(before) ?? false

/** The lane over the next carrier of its route that is not paused; `undefined` after the last. */
export const failedOver = (lane: Lane, paused: ReadonlySet<CarrierName>): Lane | undefined => {
  const carriers = carriersInOrder(lane)
  const present = carriers.findIndex((carrier) => carrier === carrierOf(lane))
  const next = carriers.findIndex((carrier, index) => index > present && !paused.has(carrier))
  return next === -1 ? undefined : overAt(lane, carriers, next)
}

/** The lane over the first carrier of its route that is not paused; over the first if all are. */
export const fromFirst = (lane: Lane, paused: ReadonlySet<CarrierName>): Lane => {
  const carriers = carriersInOrder(lane)
  const first = carriers.findIndex((carrier) => !paused.has(carrier))
  return carriers.length === 0 ? lane : overAt(lane, carriers, Math.max(0, first))
}

/** Whether the lane's calls have failed over to a carrier that is paused. They go back, because nothing was sent. */
export const isAstray = (lane: Lane, paused: ReadonlySet<CarrierName>): boolean => {
  const carrier = carrierOf(lane)
  return carrier !== undefined && paused.has(carrier) && isFailedOver(lane)
}

/** The parts of a lane's name. */
export const parts = (lane: Lane): LaneParts => {
  const [plan = "", timeZones = "", agentId = ""] = withoutRoute(lane).split("|")
  const [planVersion = "", planData] = plan.split("@")
  const carriers = carriersOf(lane)
  return {
    planVersion: Number(planVersion),
    ...(planData !== undefined && { planData }),
    timeZones: timeZones === "" ? [] : timeZones.split(","),
    ...(agentId !== "" && { agentId: AgentId.make(agentId) }),
    ...(carriers.length > 0 && { carriers })
  }
}
