/**
 * How a server ends without cutting anything: it says that it is not ready, goes on taking requests until nobody sends any,
 * claims nothing more, and finishes the requests, dials, outcomes and deliveries it has, within bounds. What is not finished
 * by then stays claimed until its lease runs out, and another process settles it.
 */
import { Engine, Readiness } from "@outdial/core"
import { Duration, Effect, Exit, Fiber, Option, Scope } from "effect"

export interface Options {
  /** How long requests are still taken. */
  readonly delay: Duration.Duration
  /** How long everything after that may take. */
  readonly bound: Duration.Duration
  /** What claims work. */
  readonly loops: Fiber.Fiber<never>
  /** What takes requests. */
  readonly listening: Scope.Closeable
}

/** Answers whether everything came to its end within the bound. */
export const drain = Effect.fnUntraced(function*({ bound, delay, listening, loops }: Options) {
  const readiness = yield* Readiness.Readiness
  const { idle } = yield* Engine.Engine
  yield* readiness.drain
  yield* Effect.logInfo("Draining: not ready any more, and nothing new will be claimed").pipe(
    Effect.annotateLogs({ delay_seconds: Duration.toSeconds(delay), bound_seconds: Duration.toSeconds(bound) })
  )
  // The loops end at once: another process may as well dial what falls due now.
  const stopping = yield* Effect.forkDetach(Fiber.interrupt(loops))
  yield* Effect.sleep(delay)
  const ending = yield* Effect.forkDetach(
    Scope.close(listening, Exit.void).pipe(Effect.andThen(Fiber.await(stopping)), Effect.andThen(idle))
  )
  const isDone = Option.isSome(yield* Effect.timeoutOption(Fiber.await(ending), bound))
  yield* isDone
    ? Effect.logInfo("Drained")
    : Effect.logWarning("Not everything ended in time; what is left is settled when its leases run out")
  return isDone
})
