/**
 * WebSockets to the services of others, such as of speech. Messages are bounded both ways, a service that is gone is noticed, and everything
 * is closed with the scope.
 */
import * as NodeWS from "@effect/platform-node/NodeWS"
import { Duration, Effect, FiberHandle, Layer } from "effect"
import { Socket } from "effect/socket"
import * as SocketChecks from "./SocketChecks.ts"

/** Longest message of a service: some minutes of telephony in base64. */
const longestMessage = 4 * 1024 * 1024

/** Gives `@outdial/ai` its connections. Unlike Node's own WebSocket it reports the status with which a service refuses. */
export const layer: Layer.Layer<Socket.WebSocketConstructor> = Layer.effect(
  Socket.WebSocketConstructor,
  Effect.gen(function*() {
    const open = new Set<NodeWS.WebSocket>()
    const runCheck = yield* FiberHandle.makeRuntime<never>()
    const check = SocketChecks.endGone(open).pipe(
      Effect.delay(SocketChecks.checkEvery),
      Effect.repeat({ while: () => open.size > 0 })
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => open.forEach((socket) => socket.terminate())))
    return (url, options) => {
      const { headers, protocols } = typeof options === "string" || Array.isArray(options)
        ? { headers: undefined, protocols: options }
        : { headers: options?.headers, protocols: options?.protocols }
      const settings = {
        headers,
        maxPayload: longestMessage,
        // It would let a small message become a large one, and voices do not compress.
        perMessageDeflate: false,
        // Its types do not know it.
        closeTimeout: Duration.toMillis(SocketChecks.closeTimeout)
      }
      const socket = new NodeWS.WebSocket(url, protocols, settings)
      open.add(socket)
      socket.once("close", () => open.delete(socket))
      runCheck(check, { onlyIfMissing: true })
      return socket
    }
  })
)
