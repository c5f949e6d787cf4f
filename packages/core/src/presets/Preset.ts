/**
 * When and how often a country or state allows calls, as far as a policy can express it, with sources and their date.
 * Not legal advice: rules change, and the notes hold what a policy cannot express.
 */
import type { CallingHours, CallingWindow, PolicyDocument } from "../domain/Policy.ts"

/** Rules to start from. */
export interface Preset {
  /** Never given to other rules. */
  readonly id: string
  readonly title: string
  /** The rules; `callingHours` are in the callee's zone. */
  readonly policy:
    & Required<Pick<PolicyDocument, "callingHours">>
    & Pick<PolicyDocument, "numberLimits" | "recallGapSeconds">
  /** The calendar whose holidays belong in `excludedDates`. A preset does not contain the dates. */
  readonly holidays?: string
  /** What the policy cannot express and its owner must take care of: consent, gaps that depend on the result, duties during the call. */
  readonly notes: ReadonlyArray<string>
  /** How far the sources carry: `derived` from other presets, or from primary sources (`high`) down to hearsay (`low`). */
  readonly confidence: "high" | "medium" | "low" | "derived"
  readonly sources: ReadonlyArray<string>
  /** The date on which the sources were read. */
  readonly asOf: string
}

/** A window as two times of day, and the windows of a day. */
type Times = readonly [start: string, end: string]

const windows = (times: ReadonlyArray<Times>): ReadonlyArray<CallingWindow> =>
  times.map(([start, end]) => ({ start, end }))

/** The same windows on every weekday. */
export const everyDay = (...times: ReadonlyArray<Times>): CallingHours => ({
  ...mondayToSaturday(...times),
  sun: windows(times)
})

/** The same windows from Monday to Saturday; closed on Sunday. */
export const mondayToSaturday = (...times: ReadonlyArray<Times>): CallingHours => ({
  ...mondayToFriday(...times),
  sat: windows(times)
})

/** The same windows from Monday to Friday; closed on Saturday and Sunday. */
export const mondayToFriday = (...times: ReadonlyArray<Times>): CallingHours => {
  const day = windows(times)
  return { mon: day, tue: day, wed: day, thu: day, fri: day }
}
