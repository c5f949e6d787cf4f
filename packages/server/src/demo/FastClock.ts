/** A clock that starts at a given instant and runs faster than the real clock. */
import { Clock, type DateTime, Duration, Effect, Layer } from "effect"

export interface Options {
  readonly start: DateTime.Utc
  /** How many times faster; at least 1. */
  readonly speed: number
}

export const layer = ({ speed, start }: Options): Layer.Layer<never> =>
  Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (below) => {
      const began = below.monotonicTimeNanosUnsafe()
      const elapsed = () => BigInt(Math.round(Number(below.monotonicTimeNanosUnsafe() - began) * speed))
      const nanos = () => BigInt(start.epochMilliseconds) * 1_000_000n + elapsed()
      const millis = () => start.epochMilliseconds + Number(elapsed() / 1_000_000n)
      return {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: elapsed,
        monotonicTimeNanos: Effect.sync(elapsed),
        sleep: (duration) => below.sleep(Duration.times(duration, 1 / speed))
      }
    })
  )
