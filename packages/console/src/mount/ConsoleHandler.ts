/**
 * Handlers of the console over an engine: for the server of an Effect program, for `node:http` and its frameworks, and for web-standard
 * hosts. They need not be closed: all resources belong to the engine.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Engine } from "@outdial/core"
import { Routes } from "@outdial/http"
import { NodeListener } from "@outdial/node"
import { type Context, Effect, Scope } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import * as ConsoleRoutes from "./ConsoleRoutes.ts"

export type { ConsoleOptions } from "./ConsoleRoutes.ts"

/** An engine that `Outdial.open` opened. */
interface OpenEngine {
  readonly services: Context.Context<Engine.Services>
}

/** For servers of Effect: handles the request in its context. */
export const effect = ConsoleRoutes.make

/** A `(req, res)` listener for `node:http`, Express, Fastify and Nest. */
export const node = <HostRequest extends IncomingMessage = IncomingMessage>(
  engine: OpenEngine,
  options: ConsoleRoutes.ConsoleOptions<HostRequest> = {}
): Promise<NodeListener.Listener> => Effect.runPromise(onEngine(engine, makeNode(options)))

/** A function from `Request` to `Promise<Response>`, for Hono, Next.js, Bun and Deno. */
export const web = <HostRequest extends Request = Request>(
  engine: OpenEngine,
  options: ConsoleRoutes.ConsoleOptions<HostRequest> = {}
): Promise<(request: Request) => Promise<Response>> => Effect.runPromise(onEngine(engine, makeWeb(options)))

const onEngine = <A, E>(engine: OpenEngine, make: Effect.Effect<A, E, Engine.Services | Scope.Scope>) =>
  make.pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()), Effect.provideContext(engine.services))

const makeNode = Effect.fnUntraced(function*<HostRequest extends IncomingMessage>(
  { authenticate, ...options }: ConsoleRoutes.ConsoleOptions<HostRequest>
) {
  const scope = yield* Effect.scope
  const originals: NodeListener.Originals = new WeakMap()
  const listener = yield* Routes.serveWithRedactedUrl(
    yield* ConsoleRoutes.make<IncomingMessage>({
      ...options,
      ...(authenticate !== undefined && {
        // The listener gets the request type of the host's framework.
        authenticate: (request) => authenticate((originals.get(request) ?? request) as HostRequest)
      })
    }),
    (httpEffect) => NodeHttpServer.makeHandler(httpEffect, { scope })
  )
  return NodeListener.make(listener, { originals })
})

const makeWeb = Effect.fnUntraced(function*<HostRequest extends Request>(
  options: ConsoleRoutes.ConsoleOptions<HostRequest>
) {
  return yield* Routes.serveWithRedactedUrl(
    yield* ConsoleRoutes.make(options),
    (httpEffect) =>
      Effect.map(
        Effect.context<never>(),
        (context) =>
          HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(httpEffect)
      )
  )
})
