/**
 * A transcript as server-sent events. The id of an event is the sequence number of its turn, so that a client that reconnects continues
 * after the last event it has received.
 */
import { Example, Ids, Limits, type Transcripts, Wire } from "@outdial/core"
import { type Effect, Schema, type Scope, Stream } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as EventStreams from "../edge/EventStreams.ts"

export const { mediaType } = EventStreams

/** Whether the client asks for a stream. */
export const isAccepted = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "").split(",").some((range) => range.split(";")[0]?.trim().toLowerCase() === mediaType)

/** Follows until the transcript is final or the stream is closed. */
export const respond = (
  callId: Ids.CallId,
  follower: Transcripts.Follower
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> =>
  EventStreams.respond(events(callId, follower), follower.closed)

const events = (callId: Ids.CallId, { next }: Transcripts.Follower) =>
  Stream.fromEffectRepeat(next(Limits.streamHeartbeat)).pipe(
    Stream.takeUntil(({ end }) => end !== undefined),
    Stream.filter(({ end }) => end !== "closed"),
    Stream.map((update) => textOf(callId, update))
  )

const textOf = (callId: Ids.CallId, { end, turns }: Transcripts.Update): string => {
  const said = turns.map((turn) => EventStreams.event("turn", encodeTurn(turn), String(turn.sequence)))
  if (end === "sealed") said.push(EventStreams.event("sealed", { call_id: callId }, undefined))
  return said.length === 0 ? EventStreams.comment : said.join("")
}

const encodeTurn = Schema.encodeSync(Wire.NumberedTurnWire)

/** The stream of a short conversation, for the OpenAPI document. */
export const example: string = textOf(Ids.CallId.make(Example.callId), {
  turns: [
    { sequence: 1, speaker: "agent", text: "Hello, does Tuesday at 10 still suit you?", startMs: 300, endMs: 3800 },
    { sequence: 2, speaker: "contact", text: "Yes.", startMs: 4200, endMs: 5100 }
  ],
  end: "sealed"
})
