/** What a command that failed says on standard error. */
import { Cause, Console, Effect } from "effect"
import { CliError } from "effect/cli"

/** An error that was expected says what to do in its message; only a bug shows where it comes from. */
export const report = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(error)) return Effect.void
  return Console.error(
    `outdial: ${!Cause.hasDies(cause) && error instanceof Error ? error.message : Cause.pretty(cause)}`
  )
}
