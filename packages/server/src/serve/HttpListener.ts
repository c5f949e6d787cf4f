/** The HTTP server of a process. It listens while its scope is open, and finishes the requests in flight before it closes. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ProtocolErrors } from "@outdial/node"
import { Duration, Effect, Layer, Schema } from "effect"
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

/** Listens on one address; port 0 chooses a free port. */
export const layer = (
  { host, shutdownTimeout = "10 seconds", port, requestTimeout = "30 seconds", variable = "PORT" }: Options
) =>
  NodeHttpServer.layer(() => makeServer(Duration.toMillis(requestTimeout)), {
    host,
    port,
    gracefulShutdownTimeout: shutdownTimeout
  }).pipe(
    Layer.catchTag(
      "ServeError",
      (cause) => Layer.effectContext(Effect.fail(new PortUnavailable({ port, variable, cause })))
    )
  )

/** The actual port. */
export const port = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => address._tag === "UnixPathAddress" ? 0 : address.port
)

const makeServer = (timeout: number): Server => {
  const server = ProtocolErrors.handle(createServer({
    requestTimeout: timeout,
    headersTimeout: timeout,
    // By default Node checks every 30 seconds, so a client could take twice the timeout.
    connectionsCheckingInterval: Math.ceil(timeout / 30),
    // The API itself rejects a request without a host, with the error envelope.
    requireHostHeader: false
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
    .on("newListener", (event) => {
      // Upgrades are not supported. Without a listener Node handles such a request like any other, and reports its errors.
      if (event === "upgrade") queueMicrotask(() => server.removeAllListeners("upgrade"))
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
