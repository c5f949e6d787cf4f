/**
 * Work outside its loop: dials, deliveries and outcomes run concurrently, so that a slow one blocks nothing else.
 * Closing the scope lets work in flight finish, within bounds, before it is interrupted.
 */
import { type Duration, Effect, FiberSet } from "effect"

export interface InFlight {
  /** Starts the effect; logs its failure, because the caller does not wait for it. */
  readonly run: (effect: Effect.Effect<void, unknown>) => Effect.Effect<void>
  /** Returns when nothing is in flight. */
  readonly idle: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(name: string, closeTimeout: Duration.Input) {
  const fibers = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), closeTimeout))
  const inFlight: InFlight = {
    run: (effect) =>
      Effect.asVoid(
        FiberSet.run(fibers, Effect.catchCause(effect, (cause) => Effect.logError(`${name} failed`, cause)))
      ),
    idle: FiberSet.awaitEmpty(fibers)
  }
  return inFlight
})
