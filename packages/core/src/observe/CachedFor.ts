/** `Effect.cachedWithTTL` by the monotonic clock: after a clock was set back, an answer would stay for as long as it was ahead. */
import { Clock, Duration, Effect } from "effect"

/** An effect that answers what it answered last, for as long as that is valid; those that ask together share one run. */
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
