/**
 * Graceful shutdown: the server reports that it is not ready, accepts requests for a delay, claims nothing more, ends its
 * conversations, and finishes the requests, dials, outcomes and deliveries in flight, within a time limit. Work that is not finished by then stays claimed
 * until its lease expires, and another process settles it.
 */
import { CarrierRoutes, ConversationRunner, Engine, Readiness } from "@outdial/core"
import { Duration, Effect, Exit, Fiber, Option, Scope } from "effect"

export interface Options {
  /** How long requests are still accepted. */
  readonly delay: Duration.Duration
  /** The limit for finishing work in flight after the delay. */
  readonly bound: Duration.Duration
  /** The loops that claim work. */
  readonly loops: Fiber.Fiber<never>
  /** The scope of the HTTP servers. */
  readonly listening: Scope.Closeable
}

/** Returns whether everything ended within the limit. */
export const drain = Effect.fnUntraced(function*({ bound, delay, listening, loops }: Options) {
  const readiness = yield* Readiness.Readiness
  const { idle, pollCarrier } = yield* Engine.Engine
  const conversations = yield* ConversationRunner.ActiveConversations
  const { closeSockets } = yield* CarrierRoutes.CarrierRoutes
  yield* readiness.drain
  yield* Effect.logInfo("Shutting down: not ready, and claiming no more work").pipe(
    Effect.annotateLogs({ delay_seconds: Duration.toSeconds(delay), bound_seconds: Duration.toSeconds(bound) })
  )
  // The loops end at once: other processes dial what falls due now.
  const stopping = yield* Effect.forkDetach(Fiber.interrupt(loops))
  yield* Effect.sleep(delay)
  const ending = yield* Effect.forkDetach(
    // The lines of conversations and the reports of carriers arrive over HTTP. The loop may have been interrupted when it reported an answer.
    pollCarrier.pipe(
      Effect.andThen(conversations.stop),
      Effect.andThen(pollCarrier),
      // An open one would keep the server from closing.
      Effect.andThen(closeSockets),
      Effect.andThen(Scope.close(listening, Exit.void)),
      Effect.andThen(Fiber.await(stopping)),
      Effect.andThen(idle)
    )
  )
  const isDone = Option.isSome(yield* Effect.timeoutOption(Fiber.await(ending), bound))
  yield* isDone
    ? Effect.logInfo("Drained")
    : Effect.logWarning("Shutdown timed out; other processes settle the remaining work when its leases expire")
  return isDone
})
