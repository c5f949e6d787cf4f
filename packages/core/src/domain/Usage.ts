/** An account's usage, by the calendar dates of its own zone. Test calls do not count. */
import { Schema } from "effect"
import { LocalDate } from "./Policy.ts"

export const DayUsage = Schema.Struct({
  day: LocalDate,
  /** Calls that were submitted to the carrier on that day, whatever their result: the number that a daily limit counts. */
  callsPlaced: Schema.Int,
  /** From answer to hang-up of the calls placed on that day, each in whole seconds, like `durationSeconds`. */
  secondsTalked: Schema.Int
})
export type DayUsage = typeof DayUsage.Type

/** From the first day to the last, both inclusive. */
export const UsageRange = Schema.Struct({ from: LocalDate, to: LocalDate })
export type UsageRange = typeof UsageRange.Type
