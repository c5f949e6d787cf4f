/**
 * The interface as a `(req, res)` listener, without a detour over web requests: `node:http`, Express, Fastify, Nest. It never
 * throws, and answers every request that reaches it. Best mounted before what reads bodies; parsed JSON is taken as well.
 */
import { IncomingMessage, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Routes } from "@outdial/http"
import { Context, Effect, Layer, Scope } from "effect"

/** `const handler = await runtime.runPromise(NodeHandler)`, then `createServer(handler)` or `app.use("/v1", handler)`. */
export class NodeHandler
  extends Context.Service<NodeHandler, (request: IncomingMessage, response: ServerResponse) => void>()(
    "@outdial/node/NodeHandler"
  )
{
  /** Over the engine of the surrounding context, which is shared and not built anew. Requests end with the layer. */
  static readonly layer = Layer.suspend(() => NodeHandler.layerAt({}))

  /** The same in a place of its host's. */
  static readonly layerAt = <HostRequest extends IncomingMessage = IncomingMessage>(
    options: Routes.MountOptions<HostRequest>
  ) => Layer.effect(NodeHandler, make(options))

  /** A `(req, res)` listener over an engine that `Outdial.open` opened. Close your server before the engine. */
  static readonly over = <HostRequest extends IncomingMessage = IncomingMessage>(
    engine: { readonly services: Context.Context<Routes.EngineServices> },
    options: Routes.MountOptions<HostRequest> = {}
  ): Promise<NodeHandler["Service"]> =>
    Effect.runPromise(
      // Requests end by themselves, so the scope is never closed.
      make(options).pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()), Effect.provideContext(engine.services))
    )
}

const make = Effect.fnUntraced(function*<HostRequest extends IncomingMessage>(
  { authenticate, ...options }: Routes.MountOptions<HostRequest>
) {
  const scope = yield* Effect.scope
  // The host is asked with its own request, which carries what its frameworks added, such as a session.
  const originals = new WeakMap<IncomingMessage, IncomingMessage>()
  const listener = yield* Routes.serveWithRedactedUrl(
    yield* Routes.makeAt<IncomingMessage>({
      ...options,
      ...(authenticate !== undefined && {
        // What reaches the listener is what the host's framework has made of it.
        authenticate: (request) => authenticate((originals.get(request) ?? request) as HostRequest)
      })
    }),
    (httpEffect) => NodeHttpServer.makeHandler(httpEffect, { scope })
  )
  return (request: FrameworkRequest, response: ServerResponse) => {
    // Express cuts the mount path off `url`; the paths of the interface are whole.
    if (request.originalUrl !== undefined) request.url = request.originalUrl
    if (!isBodyParsed(request)) return listener(request, response)
    const again = withParsedBody(request)
    originals.set(again, request)
    listener(again, response)
  }
})

/** What frameworks add to a request. */
interface FrameworkRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
}

/** A body parser was here first. */
const isBodyParsed = (request: FrameworkRequest) => request.readableEnded && request.body !== undefined

/** The request with the body that a parser took from it. */
const withParsedBody = (request: FrameworkRequest): IncomingMessage => {
  const { body } = request
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
