/**
 * How the engine learns that a clock was set. `SteadyClock` provides it. By default no step is ever reported, which is
 * correct for a clock that follows a database's.
 */
import { Context, Effect } from "effect"

export interface ClockSteps {
  /** Whether data that is old may be removed: not within a day after a step of the clock was followed. */
  readonly mayRemove: Effect.Effect<boolean>
  /** Waits until the clock has been set back; returns at once while it is not yet `settled`. */
  readonly setBack: Effect.Effect<void>
  /** Storage has been brought back to the time of the clock. Until then the clock is uncertain. */
  readonly settled: Effect.Effect<void>
}

export const ClockSteps = Context.Reference<ClockSteps>("@outdial/core/time/ClockSteps", {
  defaultValue: () => ({ mayRemove: Effect.succeed(true), setBack: Effect.never, settled: Effect.void })
})
