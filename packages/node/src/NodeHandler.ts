/**
 * The API as a `(req, res)` listener for `node:http`, Express, Fastify and Nest, without conversion to web requests. It never
 * throws, and responds to every request. Mount it before body parsers; it accepts parsed JSON, too.
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
  const scope = yield* Effect.scope
  // The host gets its original request, with the properties that its frameworks added, such as a session.
  const originals = new WeakMap<IncomingMessage, IncomingMessage>()
  const listener = yield* Routes.serveWithRedactedUrl(
    yield* Routes.makeAt<IncomingMessage>({
      ...options,
      ...(authenticate !== undefined && {
        // The listener gets the request type of the host's framework.
        authenticate: (request) => authenticate((originals.get(request) ?? request) as HostRequest)
      })
    }),
    (httpEffect) => NodeHttpServer.makeHandler(httpEffect, { scope })
  )
  return (request: FrameworkRequest, response: ServerResponse) => {
    // Express cuts the mount path off `url`; the API expects the full path.
    if (request.originalUrl !== undefined) request.url = request.originalUrl
    if (!isBodyParsed(request)) return listener(request, response)
    const again = withParsedBody(request)
    originals.set(again, request)
    listener(again, response)
  }
})

/** The properties that frameworks add to a request. */
interface FrameworkRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
}

/** Whether a body parser has read the body. */
const isBodyParsed = (request: FrameworkRequest) => request.readableEnded && request.body !== undefined

/** The request with its parsed body serialized again. */
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
