/**
 * Responses of server-sent events. A stream that is idle has comments, and a client that does not read cannot delay the end of a stream
 * that is closed.
 */
import { Deferred, Effect, type Fiber, type Scope, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpServerResponse } from "effect/http"

export const mediaType = "text/event-stream"

/** What an idle stream sends. */
export const comment = ":\n\n"

/** One event as text. */
export const event = (name: string, data: unknown, id: string | undefined): string =>
  Sse.encoder.write({ _tag: "Event", event: name, id, data: JSON.stringify(data) })

/** Sends the texts. `closed` returns when the stream is to end early. */
export const respond = (
  texts: Stream.Stream<string>,
  closed: Effect.Effect<void>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> =>
  Effect.withFiber((fiber) =>
    Effect.as(
      Effect.forkScoped(endWithin(fiber, closed)),
      HttpServerResponse.stream(
        // The first bytes send the headers.
        Stream.succeed(comment).pipe(Stream.concat(texts), Stream.encodeText),
        // nginx must not buffer the events.
        { contentType: mediaType, headers: { "x-accel-buffering": "no" } }
      )
    )
  )

/** The response, whose stream also ends when `closed` returns. Any other response is left as it is. */
export const endWith = (
  response: HttpServerResponse.HttpServerResponse,
  closed: Effect.Effect<void>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> =>
  Effect.withFiber((fiber) =>
    Effect.gen(function*() {
      const { body } = response
      if (body._tag !== "Stream") return response
      const over = yield* Deferred.make<void>()
      yield* Effect.forkScoped(endWithin(fiber, Effect.andThen(closed, Deferred.succeed(over, undefined))))
      const stream = Stream.interruptWhen(body.stream, Deferred.await(over))
      return HttpServerResponse.setBody(
        response,
        HttpServerResponse.stream(stream, { contentType: body.contentType }).body
      )
    })
  )

/** How long the last bytes of a closed stream may take. */
const closeTimeout = "1 second"

/** Ends the response although the client does not read, so that it does not delay a shutdown. */
const endWithin = (response: Fiber.Fiber<unknown, unknown>, closed: Effect.Effect<unknown>) =>
  Effect.andThen(closed, Effect.andThen(Effect.sleep(closeTimeout), Effect.sync(() => response.interruptUnsafe())))
