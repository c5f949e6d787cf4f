/** The HTTP server of a process. It listens while its scope is open, and finishes the requests in flight before it closes. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Routes } from "@outdial/http"
import { ProtocolErrors, WebSockets } from "@outdial/node"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { HttpServer } from "effect/http"
import { createServer, type Server } from "node:http"

/** The server cannot listen on the port. */
export class PortUnavailable extends Schema.TaggedError<PortUnavailable>()("PortUnavailable", {
  port: Schema.Int,
  /** The variable that set it. */
  variable: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `Port ${this.port} cannot be used. Another program may be using it. Set ${this.variable} to a free port, such as ${this.variable}=${
      this.port + 1
    }`
  }
}

export interface Options {
  readonly host: string
  readonly port: number
  /** The variable that sets the port. Default: PORT. */
  readonly variable?: string
  /** How long requests in flight may take when the server closes. Default: 10 seconds. */
  readonly shutdownTimeout?: Duration.Input
  /** How long a client may take to send the headers, and how long for the whole request. Default: 30 seconds. */
  readonly requestTimeout?: Duration.Input
}

/** Node's server, for its sockets. */
class NodeServer extends Context.Service<NodeServer, Server>()("@outdial/server/serve/HttpListener/NodeServer") {}

/** Listens on one address; port 0 chooses a free port. */
export const layer = (
  { host, shutdownTimeout = "10 seconds", port, requestTimeout = "30 seconds", variable = "PORT" }: Options
) =>
  Layer.unwrap(Effect.sync(() => {
    const server = makeServer(Duration.toMillis(requestTimeout))
    const listening = NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: shutdownTimeout })
    return Layer.merge(listening, Layer.succeed(NodeServer, server))
  })).pipe(
    Layer.catchTag(
      "ServeError",
      (cause) => Layer.effectContext(Effect.fail(new PortUnavailable({ port, variable, cause })))
    )
  )

/** Serves the API and the WebSockets of its carriers until the scope closes. */
export const serve = (api: Routes.HttpEffect) =>
  Routes.serveWithRedactedUrl(
    api,
    Effect.fnUntraced(function*(httpEffect) {
      const server = yield* NodeServer
      yield* HttpServer.serveEffect(httpEffect)
      const upgrade = yield* WebSockets.listener(httpEffect)
      ownUpgrades.add(upgrade)
      yield* Effect.acquireRelease(
        Effect.sync(() => server.on("upgrade", upgrade)),
        () => Effect.sync(() => server.off("upgrade", upgrade))
      )
    })
  )

/** Their listeners for upgrades. */
const ownUpgrades = new WeakSet<object>()

/** The actual port. */
export const port = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => address._tag === "UnixPathAddress" ? 0 : address.port
)

const makeServer = (timeout: number): Server => {
  const server: Server = ProtocolErrors.handle(createServer({
    requestTimeout: timeout,
    headersTimeout: timeout,
    // By default Node checks every 30 seconds, so a client could take twice the timeout.
    connectionsCheckingInterval: Math.ceil(timeout / 30),
    // The API itself rejects a request without a host, with the error envelope.
    requireHostHeader: false,
    // Node handles all others like any other request. Older versions do not know the option, and ask nobody.
    shouldUpgradeCallback: (request) => server.listenerCount("upgrade") > 0 && WebSockets.isForCarrier(request)
  }))
  // Without it Node destroys a connection whose client has closed its own side, although the request is carried out. Not in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  return server
    .on("request", (request, response) => {
      // Node drops the bytes that arrive behind such a request: a client that has sent more learns that it has to send them again.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      // A client that has closed its side of a stream of events is gone. The next heartbeat would notice it much later.
      if (request.headers.accept?.includes("text/event-stream") === true) {
        request.socket.once("end", () => response.destroy())
      }
      // Until the API has added its listener, a request would get no response.
      if (server.listenerCount("request") === ownListeners) ProtocolErrors.respond(response, unavailable)
    })
    .on("newListener", (event, listener) => {
      // That of Effect's server has no bounds.
      if (event === "upgrade" && !ownUpgrades.has(listener)) queueMicrotask(() => server.off("upgrade", listener))
    })
}

/** This listener and that of `ProtocolErrors`. */
const ownListeners = 2

const unavailable: ProtocolErrors.Answer = {
  status: 503,
  code: "unavailable",
  message: "The service is starting or stopping; try again in a second",
  headers: { "retry-after": "1" }
}
