/** Which process's plan data the waiting calls of the whole deployment are planned by. Pure. */
import { DateTime } from "effect"
import * as Limits from "../../domain/Limits.ts"
import * as PlanData from "../../domain/PlanData.ts"

/** The plan data in use. */
export interface Adopted {
  readonly version: string
  /** When a process that has it was last seen. */
  readonly at: DateTime.Utc
}

export interface Adopting {
  readonly version: string
  readonly now: DateTime.Utc
  /** The process has just started. */
  readonly isStarting: boolean
}

/** Whether no process with the adopted data has been seen for `Limits.planDataLease`. */
export const isLapsed = ({ at }: Adopted, now: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(DateTime.addDuration(at, Limits.planDataLease), now)

/**
 * Whether the process replaces the adopted data by its own: at its start, or when no process that has them is left. Data with routes replace
 * data without at any time, and those without never replace those of a live process with routes: a process whose routes were forgotten
 * would otherwise plan the calls of the others without them.
 */
export const replaces = (adopted: Adopted | undefined, { isStarting, now, version }: Adopting): boolean => {
  if (adopted === undefined || isLapsed(adopted, now)) return true
  const isRouted = PlanData.hasRoutes(adopted.version)
  return PlanData.hasRoutes(version) ? isStarting || !isRouted : isStarting && !isRouted
}
