/** An account's usage, by the calendar dates of its own zone. Test calls do not count. */
import { Schema } from "effect"
import { Cost } from "./Cost.ts"
import { LocalDate } from "./Policy.ts"

export const DayUsage = Schema.Struct({
  day: LocalDate,
  /** Calls that were submitted to the carrier on that day, whatever their result: the number that a daily limit counts. */
  callsPlaced: Schema.Int,
  /** From answer to hang-up of the calls placed on that day, each in whole seconds, like `durationSeconds`. */
  secondsTalked: Schema.Int,
  /** What carriers have charged so far for these calls, by currency. */
  costs: Schema.Array(Cost)
})
export type DayUsage = typeof DayUsage.Type

/** From the first day to the last, both inclusive. */
export const UsageRange = Schema.Struct({ from: LocalDate, to: LocalDate })
export type UsageRange = typeof UsageRange.Type
