/**
 * One deadline for effects of a kind, with one timer for all of them: all have the same duration, so that they expire
 * in the order in which they started. An expired effect is interrupted, and its end is awaited.
 */
import { Clock, Duration, Effect, Fiber, Latch } from "effect"

export interface Deadline {
  /** The effect's result, or `orElse` if the deadline came first. */
  readonly within: <A, E, B, E2>(
    effect: Effect.Effect<A, E>,
    orElse: () => Effect.Effect<B, E2>
  ) => Effect.Effect<A | B, E | E2>
}

interface Begun {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  /** In nanoseconds of the monotonic clock. */
  readonly until: bigint
  isOver: boolean
}

/** For as long as the scope is open. */
export const make = Effect.fnUntraced(function*(duration: Duration.Duration) {
  const nanos = Duration.toNanosUnsafe(duration)
  /** Oldest first: sets keep the order of insertion. */
  const begun = new Set<Begun>()
  const isAny = Latch.makeUnsafe()

  const watch = Effect.gen(function*() {
    const [first] = begun
    if (first === undefined) {
      isAny.closeUnsafe()
      return yield* isAny.await
    }
    const left = first.until - (yield* Clock.monotonicTimeNanos)
    if (left > 0n) return yield* Effect.sleep(Duration.nanos(left))
    begun.delete(first)
    first.isOver = true
    first.fiber.interruptUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(watch))

  const deadline: Deadline = {
    within: (effect, orElse) =>
      Effect.withFiber((parent) =>
        Effect.callback((resume) => {
          const fiber = Effect.runForkWith(parent.context)(effect)
          const until = parent.getRef(Clock.Clock).monotonicTimeNanosUnsafe() + nanos
          const entry: Begun = { fiber, until, isOver: false }
          begun.add(entry)
          isAny.openUnsafe()
          fiber.addObserver((exit) => {
            begun.delete(entry)
            resume(entry.isOver ? orElse() : exit)
          })
          return Fiber.interrupt(fiber)
        })
      )
  }
  return deadline
})
