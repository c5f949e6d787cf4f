/** The overview of an account, and the one sentence that matters most in it. */
import type { Overview } from "./Wire.ts"

export type WaitingCalls = Overview["waiting"][number]
export type OverviewCarrier = Overview["carriers"][number]

/** Whether calls go out; the most serious obstacle first. */
export type Standing =
  | { readonly kind: "storage" | "all_paused" | "paused" | "no_worker" | "idle" | "starting" }
  | { readonly kind: "carriers"; readonly carrier: OverviewCarrier }
  | { readonly kind: "calling"; readonly live: number }
  | { readonly kind: "held"; readonly by: WaitingCalls; readonly calls: number }

/** Holds that end by themselves within moments. */
const momentary: ReadonlySet<string | null> = new Set([null, "lines_busy", "calls_per_second", "number_busy"])

export const standingOf = (overview: Overview): Standing => {
  const { calls, carriers, waiting } = overview
  if (!overview.storage_ready) return { kind: "storage" }
  if (overview.all_paused) return { kind: "all_paused" }
  if (overview.paused) return { kind: "paused" }
  if (overview.workers === 0) return { kind: "no_worker" }
  const [carrier] = carriers
  if (carrier !== undefined && carriers.every(({ paused }) => paused)) return { kind: "carriers", carrier }
  const live = calls.dialing + calls.in_progress
  if (live > 0) return { kind: "calling", live }
  if (calls.queued === 0) return { kind: "idle" }
  const [first] = waiting
  if (first === undefined || waiting.some(({ status_code }) => momentary.has(status_code))) return { kind: "starting" }
  const soonest = waiting.filter(({ first_due }) => first_due !== null)
    .reduce((best, group) => (group.first_due ?? "") < (best.first_due ?? "~") ? group : best, first)
  return { kind: "held", by: soonest, calls: calls.queued }
}

/** A share of a whole, from 0 to 1; undefined of nothing. */
export const rate = (part: number, whole: number): number | undefined => whole === 0 ? undefined : part / whole

/** The calls of today that have ended: those that were not connected are counted by their status. */
export const endedToday = ({ today: { completed, not_connected } }: Pick<Overview, "today">): number =>
  Object.values(not_connected).reduce((sum, calls) => sum + calls, completed)
