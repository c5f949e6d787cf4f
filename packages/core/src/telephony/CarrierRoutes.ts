/** The routes of the engine's carriers, for those who serve them, and the life of their sockets. */
import { Context, Deferred, Effect, Fiber, FiberSet, Layer } from "effect"
import type { Routes } from "./CarrierRoute.ts"
import { Telephony } from "./Telephony.ts"

export * from "./CarrierRoute.ts"

export class CarrierRoutes extends Context.Service<CarrierRoutes, {
  readonly routes: ReadonlyArray<Routes>
  /** Does the work of an open socket, to its end: it continues when the caller is interrupted because the connection is gone. */
  readonly hold: (work: Effect.Effect<void>) => Effect.Effect<void>
  readonly isClosing: Effect.Effect<boolean>
  /** Returns when the sockets are to be closed. */
  readonly awaitClosing: Effect.Effect<void>
  /**
   * Closes all sockets, for good: the process is about to end. Returns when their work has ended; work that has not ended within a few
   * seconds is interrupted.
   */
  readonly closeSockets: Effect.Effect<void>
}>()("@outdial/core/telephony/CarrierRoutes") {
  /** Of the carrier in the context. The sockets are closed with the layer. */
  static readonly layer = Layer.effect(
    CarrierRoutes,
    Effect.gen(function*() {
      const { routes = [] } = yield* Telephony
      const closing = yield* Deferred.make<void>()
      const held = yield* FiberSet.make()
      const closeSockets = Effect.gen(function*() {
        yield* Deferred.succeed(closing, undefined)
        yield* Effect.timeoutOption(FiberSet.awaitEmpty(held), closeTimeout)
        yield* FiberSet.clear(held)
      })
      yield* Effect.addFinalizer(() => closeSockets)
      return CarrierRoutes.of({
        routes,
        hold: (work) => Effect.flatMap(FiberSet.run(held, work), (fiber) => Effect.asVoid(Fiber.await(fiber))),
        isClosing: Deferred.isDone(closing),
        awaitClosing: Deferred.await(closing),
        closeSockets
      })
    })
  )
}

/** Long enough for the last words of a conversation to be stored. */
const closeTimeout = "5 seconds"
