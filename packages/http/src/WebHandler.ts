/**
 * The interface as a web-standard function, `Request` in and `Response` out: Hono, Next.js, Bun, Deno and Remix use it as it
 * is. It never rejects, and holds nothing that must be closed: the engine belongs to the runtime that it was made in.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import * as Routes from "./Routes.ts"

/** `const handler = await runtime.runPromise(WebHandler)` */
export class WebHandler extends Context.Service<WebHandler, (request: Request) => Promise<Response>>()(
  "@outdial/http/WebHandler"
) {
  /** Over the engine of the surrounding context, which is shared and not built anew. */
  static readonly layer = Layer.effect(
    WebHandler,
    Effect.gen(function*() {
      const httpEffect = yield* Routes.make
      const context = yield* Effect.context<never>()
      return HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(httpEffect)
    })
  )
}
