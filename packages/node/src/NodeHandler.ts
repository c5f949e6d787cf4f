/**
 * The API as a `(req, res)` listener for `node:http`, Express, Fastify and Nest, without conversion to web requests. It never
 * throws, and responds to every request. Mount it before body parsers; it accepts parsed JSON, too.
 */
import { IncomingMessage, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Routes } from "@outdial/http"
import { Context, Effect, Layer, Scope } from "effect"
import * as ProtocolErrors from "./ProtocolErrors.ts"
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
  const originals = new WeakMap<IncomingMessage, IncomingMessage>()
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
  const handle = (request: FrameworkRequest, response: ServerResponse) => {
    // Express cuts the mount path off `url`; the API expects the full path.
    if (request.originalUrl !== undefined) request.url = request.originalUrl
    if (!isBodyParsed(request)) return listener(request, response)
    if (!hasBytes(request) && Routes.isForCarrier(request.url, basePath)) {
      return ProtocolErrors.respond(response, bodyParsed)
    }
    const again = withParsedBody(request)
    originals.set(again, request)
    listener(again, response)
  }
  return Object.assign(handle, {
    upgrade: (request: FrameworkRequest, socket: Duplex, head: Buffer) => {
      if (!WebSockets.isForCarrier(request, basePath)) return false
      onUpgrade(request, socket, head)
      return true
    }
  })
})

/** The properties that frameworks add to a request. */
interface FrameworkRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
  /** The bytes of a parsed body, where the framework keeps them. */
  readonly rawBody?: unknown
}

const bodyParsed: ProtocolErrors.Answer = {
  status: 500,
  code: "internal_error",
  message:
    "A body parser has read the callback of a carrier, whose signature needs its bytes. Mount Outdial before body parsers"
}

/** Whether a body parser has read the body. */
const isBodyParsed = (request: FrameworkRequest) => request.readableEnded && request.body !== undefined

/** Whether the body is there as it was sent. */
const hasBytes = ({ body, rawBody }: FrameworkRequest) =>
  rawBody instanceof Uint8Array || typeof body === "string" || body instanceof Uint8Array

/** The request with the bytes of its body, or with the parsed body serialized again. */
const withParsedBody = (request: FrameworkRequest): IncomingMessage => {
  const body = request.rawBody instanceof Uint8Array ? request.rawBody : request.body
  const again = new IncomingMessage(request.socket)
  const { headers, httpVersion, httpVersionMajor, httpVersionMinor, method, rawHeaders, url } = request
  Object.assign(again, {
    headers,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    method,
    rawHeaders,
    url,
    complete: true
  })
  again.push(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body))
  again.push(null)
  return again
}
