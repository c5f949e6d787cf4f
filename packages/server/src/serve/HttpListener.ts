/** The HTTP server of a process: it listens while its scope is open, and finishes the requests it has before it closes. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ProtocolErrors } from "@outdial/node"
import { Duration, Effect, Layer, Schema } from "effect"
import { HttpServer } from "effect/http"
import { createServer, type Server } from "node:http"

/** The port cannot be listened on. */
export class PortUnavailable extends Schema.TaggedError<PortUnavailable>()("PortUnavailable", {
  port: Schema.Int,
  /** What it was set by. */
  variable: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `Port ${this.port} cannot be used, maybe because another program has it. Set ${this.variable} to a free one, such as ${this.variable}=${
      this.port + 1
    }`
  }
}

export interface Options {
  readonly host: string
  readonly port: number
  /** The variable that the port is set by; PORT when not given. */
  readonly variable?: string
  /** How long requests under way may take to end when the server closes; 10 seconds when not given. */
  readonly shutdownTimeout?: Duration.Input
  /** How long a client may take to send the headers, and how long the whole request; 30 seconds when not given. */
  readonly requestTimeout?: Duration.Input
}

/** Listens on one address; port 0 takes a free one. */
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

/** The port that was taken. */
export const port = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => address._tag === "UnixPathAddress" ? 0 : address.port
)

const makeServer = (timeout: number): Server => {
  const server = ProtocolErrors.handle(createServer({
    requestTimeout: timeout,
    headersTimeout: timeout,
    // Node looks every 30 seconds unless told otherwise, so that a client could take twice its time.
    connectionsCheckingInterval: Math.ceil(timeout / 30),
    // The interface refuses such a request itself, in the envelope.
    requireHostHeader: false
  }))
  // Without it Node destroys a connection whose client has closed its own side, although the request is carried out. Not in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  return server
    .on("request", (request, response) => {
      // Node drops the bytes that arrive behind such a request: a client that has sent more learns that it has to send them again.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      // What serves listens as well. Until it does, a request would be left without an answer.
      if (server.listenerCount("request") === ownListeners) ProtocolErrors.respond(response, unavailable)
    })
    .on("newListener", (event) => {
      // Nothing here is upgraded to. Without a listener Node reads such a request as any other, and its errors are noticed.
      if (event === "upgrade") queueMicrotask(() => server.removeAllListeners("upgrade"))
    })
}

/** This one's, and that of `ProtocolErrors`. */
const ownListeners = 2

const unavailable: ProtocolErrors.Answer = {
  status: 503,
  code: "unavailable",
  message: "The service is starting or stopping; try again in a second",
  headers: { "retry-after": "1" }
}
