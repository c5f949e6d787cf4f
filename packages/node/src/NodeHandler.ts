/**
 * The API as a `(req, res)` listener for `node:http`, Express, Fastify and Nest, without conversion to web requests. It never
 * throws, and responds to every request. Mount it before body parsers; it accepts parsed JSON, too.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Routes } from "@outdial/http"
import { Context, Effect, Layer, Scope } from "effect"
import * as NodeListener from "./NodeListener.ts"
import type * as ProtocolErrors from "./ProtocolErrors.ts"
import * as WebSockets from "./WebSockets.ts"

/** A `(req, res)` listener, with the listener for the WebSockets of carriers. */
export interface Listener {
  (request: IncomingMessage, response: ServerResponse): void
  /**
   * `server.on("upgrade", handler.upgrade)`: serves the WebSockets of carriers, below `/carriers` of the base path. Leaves all other requests
   * to your own listeners, and returns whether it has taken this one.
   */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
}

/** `const handler = await runtime.runPromise(NodeHandler)`, then `createServer(handler)` or `app.use("/v1", handler)`. */
export class NodeHandler extends Context.Service<NodeHandler, Listener>()("@outdial/node/NodeHandler") {
  /** Over the engine of the context, which is shared. Requests end with the layer. */
  static readonly layer = Layer.suspend(() => NodeHandler.layerAt({}))

  /** The same with mount options. */
  static readonly layerAt = <HostRequest extends IncomingMessage = IncomingMessage>(
    options: Routes.MountOptions<HostRequest>
  ) => Layer.effect(NodeHandler, make(options))

  /** A `(req, res)` listener over an engine that `Outdial.open` opened. Close your server before the engine. */
  static readonly over = <HostRequest extends IncomingMessage = IncomingMessage>(
    engine: { readonly services: Context.Context<Routes.EngineServices> },
    options: Routes.MountOptions<HostRequest> = {}
  ): Promise<NodeHandler["Service"]> =>
    Effect.runPromise(
      // All requests end, so the scope need not be closed.
      make(options).pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()), Effect.provideContext(engine.services))
    )
}

const make = Effect.fnUntraced(function*<HostRequest extends IncomingMessage>(
  { authenticate, ...options }: Routes.MountOptions<HostRequest>
) {
  const { basePath } = options
  const scope = yield* Effect.scope
  // The host gets its original request, with the properties that its frameworks added, such as a session.
  const originals: NodeListener.Originals = new WeakMap()
  const { listener, onUpgrade } = yield* Routes.serveWithRedactedUrl(
    yield* Routes.makeAt<IncomingMessage>({
      ...options,
      ...(authenticate !== undefined && {
        // The listener gets the request type of the host's framework.
        authenticate: (request) => authenticate((originals.get(request) ?? request) as HostRequest)
      })
    }),
    (httpEffect) =>
      Effect.all({
        listener: NodeHttpServer.makeHandler(httpEffect, { scope }),
        onUpgrade: Effect.provideService(WebSockets.listener(httpEffect), Scope.Scope, scope)
      })
  )
  const handle = NodeListener.make(listener, {
    originals,
    refuse: (request) => Routes.isForCarrier(request.url, basePath) ? bodyParsed : undefined
  })
  return Object.assign(handle, {
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!WebSockets.isForCarrier(request, basePath)) return false
      onUpgrade(request, socket, head)
      return true
    }
  })
})

const bodyParsed: ProtocolErrors.Answer = {
  status: 500,
  code: "internal_error",
  message:
    "A body parser has read the callback of a carrier, whose signature needs its bytes. Mount Outdial before body parsers"
}
