/**
 * `Effect.cachedWithTTL` by the monotonic clock. By the system's clock, a cached value would stay valid for as long as
 * the clock was set back.
 */
import { Clock, Duration, Effect } from "effect"

/** Caches the effect's result for as long as it is valid. Concurrent callers share one run. */
export const cachedFor = Effect.fnUntraced(
  function*<A, E, R>(effect: Effect.Effect<A, E, R>, validFor: Duration.Duration) {
    const valid = Duration.toNanosUnsafe(validFor)
    let answeredAt: bigint | undefined
    const noted = Effect.ensuring(
      effect,
      Effect.map(Clock.monotonicTimeNanos, (now) => {
        answeredAt = now
      })
    )
    const [cached, invalidate] = yield* Effect.cachedInvalidateWithTTL(noted, Duration.infinity)
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      if (answeredAt === undefined || now - answeredAt < valid) return cached
      answeredAt = undefined
      return Effect.andThen(invalidate, cached)
    })
  }
)
