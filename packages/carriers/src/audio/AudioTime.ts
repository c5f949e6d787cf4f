/** The time of sound. It is monotonic: a wall clock that is set would put an hour of silence into a call. */
import type { Clock } from "effect"

/** Milliseconds since any one moment. */
export const of = (clock: Clock.Clock) => (): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
