/**
 * A carrier without delay whose calls are answered at once. Their lines are the WebSockets that another process opens; without lines,
 * calls end at once with a transcript of the same words.
 */
import {
  type CarrierEvent,
  type Conversation,
  type Conversations,
  Ids,
  LineReports,
  SimulatedTelephony,
  Telephony
} from "@outdial/core"
import type { WebSocket } from "@effect/platform-node/NodeWS"
import { type Cause, DateTime, Duration, Effect, Layer, Queue, Stream } from "effect"
import { type FromLine, parsed, type ToLine, transcript } from "./Frames.ts"

/** Turns of the contact in the transcript of a call without a line. */
export const reportedTurns = 5

/** `sincePiece` gives the milliseconds since the first piece of the answer to these words, for its first words. */
export const makeUnsafe = ({ sincePiece }: { readonly sincePiece?: (words: string) => number | undefined } = {}) => {
  const calls = new Map<string, Telephony.DialRequest>()
  let hasLines = true
  let report: LineReports.LineReports["Service"]["report"] | undefined
  let ended = 0

  const reported = ({ accountId, callId }: Telephony.DialRequest, event: CarrierEvent.CarrierEvent) =>
    report === undefined ? Effect.void : Effect.asVoid(report({ accountId, callId, event }))

  const end = (request: Telephony.DialRequest, transcript?: CarrierEvent.Ended["transcript"]) =>
    Effect.flatMap(DateTime.now, (at) =>
      reported(request, {
        _tag: "Ended",
        at,
        result: "hung_up",
        answeredAt: at,
        answeredBy: "human",
        ...(transcript !== undefined && { transcript }),
        recorded: false
      })).pipe(Effect.tap(() => Effect.sync(() => ended++)))

  const answer = Effect.fnUntraced(function*(request: Telephony.DialRequest) {
    const at = yield* DateTime.now
    yield* reported(request, { _tag: "Answered", at, by: "human" })
    if (hasLines) return void calls.set(request.callId, request)
    yield* end(request, transcript(reportedTurns))
  })

  const layer: Layer.Layer<Telephony.Telephony, never, LineReports.LineReports> = Layer.effect(
    Telephony.Telephony,
    Effect.gen(function*() {
      const reports = yield* LineReports.LineReports
      report = reports.report
      const scope = yield* Effect.scope
      return {
        name: SimulatedTelephony.carrier,
        dial: (request) => Effect.as(Effect.forkIn(answer(request), scope), Ids.CarrierCallId.make(request.callId)),
        lookUp: ({ callId }) => Effect.succeed({ _tag: calls.has(callId) ? "Live" : "NotFound" }),
        hangUp: () => Effect.void,
        notFoundLag: Duration.minutes(1)
      }
    })
  )

  /** Holds the conversation of the socket's call, until either side has closed it. */
  const converse = Effect.fnUntraced(function*(
    conversations: Conversations.Conversations["Service"],
    socket: WebSocket,
    callId: string
  ) {
    const request = calls.get(callId)
    if (request === undefined) return socket.close()
    const events = yield* Queue.unbounded<Conversation.LineEvent, Cause.Done>()
    let heard = ""
    socket.on("message", (data) => {
      const frame = parsed<FromLine>(data)
      if (frame.type === "heard") heard = frame.text
      Queue.offerUnsafe(
        events,
        frame.type === "heard"
          ? { _tag: "Heard", text: frame.text, isFinal: true }
          : { _tag: "Played", utterance: frame.utterance }
      )
    })
    socket.once("close", () => Queue.endUnsafe(events))
    yield* conversations.hold({
      accountId: request.accountId,
      callId: request.callId,
      takesOver: false,
      line: {
        events: Stream.fromQueue(events),
        speak: ({ id, text }) =>
          Effect.sync(() => {
            const millis = sincePiece?.(heard)
            const frame: ToLine = {
              type: "speak",
              utterance: id,
              text,
              ...(millis !== undefined && { sincePiece: millis })
            }
            socket.send(JSON.stringify(frame))
          }),
        stopSpeaking: Effect.void,
        press: () => Effect.void,
        hangUp: Effect.sync(() => socket.close()),
        release: Effect.sync(() => socket.close())
      }
    })
    socket.close()
    calls.delete(callId)
    yield* end(request)
  })

  return {
    layer,
    converse,
    /** The calls that are answered, and have not ended. */
    answered: () => [...calls.keys()],
    /** How many calls have ended. */
    ended: () => ended,
    setLines: (given: boolean) => {
      hasLines = given
    }
  }
}
