/** Counts the work of conversations that does not wait for the contact or for time to pass, so that a test clock can wait for it. */
import { Clock, Effect, Latch } from "effect"

export interface BusyWork {
  readonly during: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For a wait within the work. */
  readonly pause: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** A conversation has gone a step further. */
  readonly stepped: () => void
  /** Returns when there is none, or when nothing happens in it for a moment of real time. */
  readonly idle: Effect.Effect<void>
}

/**
 * How long `idle` waits for an agent that does nothing: one that does not answer must not hold up a test clock. Besides real time, an
 * agent gets turns to run, because a busy machine may suspend the process for longer.
 */
const answerWait = Effect.andThen(
  Effect.provideService(Effect.sleep("10 millis"), Clock.Clock, Clock.Clock.defaultValue()),
  Effect.replicateEffect(Effect.yieldNow, 100, { discard: true })
)

/** How often `idle` waits for work that goes on: a line whose words have no end takes no time on a test clock. */
const mostWaits = 1_000

export const makeUnsafe = (): BusyWork => {
  let count = 0
  let steps = 0
  const isIdle = Latch.makeUnsafe(true)
  const change = (by: number) =>
    Effect.sync(() => {
      count += by
      if (count === 0) isIdle.openUnsafe()
      else isIdle.closeUnsafe()
    })
  return {
    stepped: () => {
      steps += 1
    },
    idle: Effect.gen(function*() {
      for (let waits = 0, before = -1; count > 0 && steps !== before && waits < mostWaits; waits++) {
        before = steps
        yield* Effect.raceFirst(isIdle.await, answerWait)
      }
    }),
    during: (work) => Effect.acquireUseRelease(change(1), () => work, () => change(-1)),
    pause: (wait) => Effect.acquireUseRelease(change(-1), () => wait, () => change(1))
  }
}
