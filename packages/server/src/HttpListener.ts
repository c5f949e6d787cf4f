/** The HTTP server of a process: it listens while its scope is open, and finishes the requests it has before it closes. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer, Schema } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as ParserErrors from "./ParserErrors.ts"

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

/** How long a client may take to send a request; slower ones are cut off. */
const requestTimeout = 30_000

export interface Options {
  readonly host: string
  readonly port: number
  /** The variable that the port is set by; PORT when not given. */
  readonly variable?: string
  /** How long requests under way may take to end when the server closes; 10 seconds when not given. */
  readonly patience?: Duration.Input
}

/** Listens on one address; port 0 takes a free one. */
export const layer = ({ host, patience = "10 seconds", port, variable = "PORT" }: Options) =>
  NodeHttpServer.layer(() => ParserErrors.handled(createServer({ requestTimeout, headersTimeout: requestTimeout })), {
    host,
    port,
    gracefulShutdownTimeout: patience
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
