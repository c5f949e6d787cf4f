/** A real clock that runs faster, for tests of long timeouts. */
import { Clock, Duration, Effect } from "effect"

/** A clock on which this many seconds pass in one. */
export const make = (factor: number): Clock.Clock => {
  const clock = Clock.Clock.defaultValue()
  const millis = () => clock.currentTimeMillisUnsafe() * factor
  const nanos = () => clock.monotonicTimeNanosUnsafe() * BigInt(factor)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => clock.sleep(Duration.times(duration, 1 / factor))
  }
}
