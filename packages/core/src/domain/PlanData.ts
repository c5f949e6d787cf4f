/**
 * The version of what waiting calls are planned by, besides the policy of their account: the time zone data and, with several carriers,
 * their routes. The names of lanes have it. A process adopts its own for the whole deployment.
 */

/** Between the two versions. Neither has it, nor `|` or `@`. */
const mark = ">"

export interface PlanDataParts {
  /** The version of the time zone data. */
  readonly timeZones: string
  /** The version of the routes; absent for a process without routes. */
  readonly routes?: string
}

export const make = ({ routes, timeZones }: PlanDataParts): string =>
  routes === undefined ? timeZones : `${timeZones}${mark}${routes}`

/** The version of the routes; `undefined` without routes. */
export const routesOf = (planData: string): string | undefined => {
  const at = planData.indexOf(mark)
  return at === -1 ? undefined : planData.slice(at + mark.length)
}

export const hasRoutes = (planData: string | undefined): boolean =>
  planData !== undefined && routesOf(planData) !== undefined
