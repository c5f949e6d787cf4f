/**
 * How far the clock may be off the one that all processes on a storage share. A process that brings its own clock, such as
 * `DatabaseClock` of `@outdial/sql`, tells it here; where nobody does, the process's clock is taken for the right one.
 */
import { Context, Duration, Effect } from "effect"

export const ClockUncertainty = Context.Reference<Effect.Effect<Duration.Duration>>(
  "@outdial/core/time/ClockUncertainty",
  { defaultValue: () => Effect.succeed(Duration.zero) }
)
