/**
 * The WebSockets of the API as a listener for `upgrade` of `node:http`. Messages are bounded both ways, peers that are gone are noticed, and
 * everything is closed with the scope.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeWS from "@effect/platform-node/NodeWS"
import { Limits } from "@outdial/core"
import { Routes } from "@outdial/http"
import { Duration, Effect, FiberHandle } from "effect"
import * as SocketChecks from "./SocketChecks.ts"

/** A listener for the event `upgrade`. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Serves the WebSockets of the API. It responds to every request that it gets. */
export const listener = Effect.fnUntraced(function*(httpEffect: Routes.HttpEffect) {
  const server = yield* makeServer
  const respond = yield* NodeHttpServer.makeUpgradeHandler(Effect.succeed(server), httpEffect, {
    scope: yield* Effect.scope
  })
  const runCheck = yield* FiberHandle.makeRuntime<never>()
  // An endless loop would keep a process alive whose server has been closed.
  const open = new Set<Duplex>()
  const check = SocketChecks.endGone(server.clients).pipe(
    Effect.delay(SocketChecks.checkEvery),
    Effect.repeat({ while: () => open.size > 0 })
  )
  const onUpgrade: UpgradeListener = (request, socket, head) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    runCheck(check, { onlyIfMissing: true })
    respond(request, socket, head)
  }
  return onUpgrade
})

/** Whether the request is for a WebSocket below `/carriers` of the base path. */
export const isForCarrier = ({ headers, url }: IncomingMessage, basePath?: string): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" && Routes.isForCarrier(url, basePath)

const makeServer = Effect.acquireRelease(
  Effect.sync(() => {
    const options = {
      noServer: true,
      maxPayload: Limits.socketMessageBytes,
      // It would let a small message become a large one, and voices do not compress.
      perMessageDeflate: false,
      // Its types do not know it.
      closeTimeout: Duration.toMillis(SocketChecks.closeTimeout)
    }
    return new NodeWS.WebSocketServer(options)
  }),
  (server) =>
    Effect.sync(() => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    })
)
