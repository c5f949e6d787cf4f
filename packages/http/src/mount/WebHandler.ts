/**
 * The API as a web-standard function from `Request` to `Response`, for Hono, Next.js, Bun, Deno and Remix. It never rejects and
 * need not be closed: the engine belongs to the runtime that created it.
 */
import { Context, Effect, Layer, Scope } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import * as Routes from "./Routes.ts"

/** `const handler = await runtime.runPromise(WebHandler)` */
export class WebHandler extends Context.Service<WebHandler, (request: Request) => Promise<Response>>()(
  "@outdial/http/mount/WebHandler"
) {
  /** Over the engine of the context, which is shared. */
  static readonly layer = Layer.suspend(() => WebHandler.layerAt({}))

  /** The same with mount options. */
  static readonly layerAt = <HostRequest extends Request = Request>(options: Routes.MountOptions<HostRequest>) =>
    Layer.effect(WebHandler, make(options))

  /** A function from `Request` to `Promise<Response>` over an engine that `Outdial.open` opened. */
  static readonly over = <HostRequest extends Request = Request>(
    engine: { readonly services: Context.Context<Routes.EngineServices> },
    options: Routes.MountOptions<HostRequest> = {}
  ): Promise<WebHandler["Service"]> =>
    Effect.runPromise(
      // Nothing is bound to the scope; all resources belong to the engine.
      make(options).pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()), Effect.provideContext(engine.services))
    )
}

const make = Effect.fnUntraced(function*<HostRequest>(options: Routes.MountOptions<HostRequest>) {
  return yield* Routes.serveWithRedactedUrl(
    yield* Routes.makeAt(options),
    (httpEffect) =>
      Effect.map(
        Effect.context<never>(),
        (context) =>
          HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(httpEffect)
      )
  )
})
