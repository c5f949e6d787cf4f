/**
 * A transcript as server-sent events. The id of an event is the sequence number of its turn, so that a client that reconnects continues
 * after the last event it has received. A stream that is idle has comments, and a client that does not read cannot delay its end.
 */
import { Example, Ids, Limits, type Transcripts, Wire } from "@outdial/core"
import { Effect, Fiber, Schema, type Scope, Stream } from "effect"
import { Sse } from "effect/encoding"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

export const mediaType = "text/event-stream"

/** Whether the client asks for a stream. */
export const isAccepted = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "").split(",").some((range) => range.split(";")[0]?.trim().toLowerCase() === mediaType)

const comment = ":\n\n"

/** Follows until the transcript is final or the stream is closed. */
export const respond = (
  callId: Ids.CallId,
  follower: Transcripts.Follower
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> =>
  Effect.withFiber((fiber) =>
    Effect.as(
      Effect.forkScoped(endWithin(fiber, follower)),
      HttpServerResponse.stream(
        // The first bytes send the headers.
        Stream.succeed(comment).pipe(Stream.concat(events(callId, follower)), Stream.encodeText),
        // nginx must not buffer the events.
        { contentType: mediaType, headers: { "x-accel-buffering": "no" } }
      )
    )
  )

const events = (callId: Ids.CallId, { next }: Transcripts.Follower) =>
  Stream.fromEffectRepeat(next(Limits.streamHeartbeat)).pipe(
    Stream.takeUntil(({ end }) => end !== undefined),
    Stream.filter(({ end }) => end !== "closed"),
    Stream.map((update) => textOf(callId, update))
  )

const textOf = (callId: Ids.CallId, { end, turns }: Transcripts.Update): string => {
  const said = turns.map((turn) => event("turn", encodeTurn(turn), String(turn.sequence)))
  if (end === "sealed") said.push(event("sealed", { call_id: callId }, undefined))
  return said.length === 0 ? comment : said.join("")
}

const event = (name: string, data: unknown, id: string | undefined): string =>
  Sse.encoder.write({ _tag: "Event", event: name, id, data: JSON.stringify(data) })

const encodeTurn = Schema.encodeSync(Wire.NumberedTurnWire)

/** The stream of a short conversation, for the OpenAPI document. */
export const example: string = textOf(Ids.CallId.make(Example.callId), {
  turns: [
    { sequence: 1, speaker: "agent", text: "Hello, does Tuesday at 10 still suit you?", startMs: 300, endMs: 3800 },
    { sequence: 2, speaker: "contact", text: "Yes.", startMs: 4200, endMs: 5100 }
  ],
  end: "sealed"
})

/** How long the last bytes of a closed stream may take. */
const closeTimeout = "1 second"

/** Ends the response although the client does not read, so that it does not delay a shutdown. */
const endWithin = (response: Fiber.Fiber<unknown, unknown>, { closed }: Transcripts.Follower) =>
  Effect.andThen(closed, Effect.andThen(Effect.sleep(closeTimeout), Effect.sync(() => response.interruptUnsafe())))
