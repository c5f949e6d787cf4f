/** What an account has used, by the calendar dates of its own zone. Test calls are no usage. */
import { Schema } from "effect"
import { LocalDate } from "./Policy.ts"

export const DayUsage = Schema.Struct({
  day: LocalDate,
  /** Calls that were handed to the carrier on that day, whatever became of them: what a daily limit counts. */
  callsPlaced: Schema.Int,
  /** From answer to hang-up of the calls placed on that day, each in whole seconds as its `durationSeconds` says. */
  secondsTalked: Schema.Int
})
export type DayUsage = typeof DayUsage.Type

/** From the first day to the last, both inclusive. */
export const UsageRange = Schema.Struct({ from: LocalDate, to: LocalDate })
export type UsageRange = typeof UsageRange.Type
