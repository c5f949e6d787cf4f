/**
 * How far the process's clock may differ from the clock that all processes on a storage share. A process with its own
 * clock, such as `DatabaseClock` of `@outdial/sql`, sets it; by default the process's clock counts as correct.
 */
import { Context, Duration, Effect } from "effect"

export const ClockUncertainty = Context.Reference<Effect.Effect<Duration.Duration>>(
  "@outdial/core/time/ClockUncertainty",
  { defaultValue: () => Effect.succeed(Duration.zero) }
)

/** What it means that the clock is uncertain, for operators. A process that goes by another clock than its system's says so here. */
export const UncertainClock = Context.Reference<string>("@outdial/core/time/UncertainClock", {
  defaultValue: () => "the system clock was set and is not trusted yet"
})
