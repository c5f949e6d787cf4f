/** Prints the error of a failed command to standard error. */
import { Cause, Console, Effect } from "effect"
import { CliError } from "effect/cli"

/** An expected error prints its message. A bug also prints its stack. */
export const report = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(error)) return Effect.void
  return Console.error(
    `outdial: ${!Cause.hasDies(cause) && error instanceof Error ? error.message : Cause.pretty(cause)}`
  )
}
