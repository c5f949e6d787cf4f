/** The conversation of an answered call over a socket of Media Streams, from its first message to its end. */
import {
  type AudioLine,
  type CarrierRoutes,
  type CarrierTokens,
  type Conversations,
  Ids,
  type LineReports,
  type PhoneNumber,
  type Recordings
} from "@outdial/core"
import { type Cause, DateTime, Effect, Option, Queue, Stream } from "effect"
import * as CallRecorder from "../audio/CallRecorder.ts"
import * as Dtmf from "../audio/Dtmf.ts"
import * as MediaLine from "../audio/MediaLine.ts"
import * as TwilioMedia from "../audio/TwilioMedia.ts"
import type { Report } from "../call/CarrierCall.ts"
import { untilOver } from "../call/LostSocket.ts"

export interface TwilioStreamOptions {
  readonly conversations: Conversations.Conversations["Service"]
  readonly report: Report
  /** Twilio's id of the call in the first message; none when it is of another account. */
  readonly idOf: (start: TwilioMedia.Start["start"]) => string | undefined
  readonly hangUp: (call: CarrierTokens.TokenCall, sid: string) => Effect.Effect<void>
  readonly isOver: (sid: string) => Effect.Effect<boolean, unknown>
  readonly transfer: (
    call: CarrierTokens.TokenCall & { readonly sid: string },
    number: PhoneNumber.PhoneNumber
  ) => Effect.Effect<boolean>
  /** Records the call here. Default: it is not. */
  readonly recording?: {
    readonly recordings: Recordings.Recordings["Service"]
    readonly reports: LineReports.LineReports["Service"]
  }
}

/** How long Twilio may take to say which call it is. */
const startTimeout = "10 seconds"

/** Of RFC 6455 §7.4.1. */
const policyViolation = 1008

const format = "mulaw"

export const hold = Effect.fnUntraced(
  function*(
    call: CarrierTokens.TokenCall,
    socket: CarrierRoutes.Socket,
    { conversations, hangUp, idOf, isOver, recording, report, transfer }: TwilioStreamOptions
  ) {
    const messages = yield* Queue.bounded<string, Cause.Done>(100)
    yield* socket.messages.pipe(
      Stream.runForEach((message) => typeof message === "string" ? Queue.offer(messages, message) : Effect.void),
      Effect.ensuring(Queue.end(messages)),
      Effect.forkScoped
    )
    // `connected` comes first.
    const start = yield* Effect.map(Queue.take(messages), TwilioMedia.decodeStart).pipe(
      Effect.repeat({ until: Option.isSome, times: 1 }),
      Effect.timeoutOption(startTimeout),
      Effect.map(Option.flatten),
      Effect.orElseSucceed(Option.none)
    )
    const sid = Option.isSome(start) ? idOf(start.value.start) : undefined
    if (Option.isNone(start) || sid === undefined) return yield* socket.close(policyViolation)
    const answered = { _tag: "Answered", at: yield* DateTime.now, by: "unknown" } as const
    const isOurs = yield* Effect.orElseSucceed(report(call, sid, answered), () => true)
    if (!isOurs) return yield* socket.close()
    const recorder = recording === undefined
      ? undefined
      : yield* CallRecorder.make({ ...recording, call, carrierCallId: Ids.CarrierCallId.make(sid), format })
    const line: AudioLine.AudioLine = yield* MediaLine.make({
      dialect: TwilioMedia.dialect(start.value.streamSid),
      format,
      receive: MediaLine.from(Stream.fromQueue(messages)),
      send: socket.send,
      close: socket.close(),
      hangUp: hangUp(call, sid),
      // Twilio has no message for it.
      press: (digits) => line.play(Dtmf.tones(format, digits)),
      lost: untilOver(isOver(sid)),
      // Twilio asks what follows when the socket is closed.
      move: Effect.succeed(true),
      transfer: (number) => transfer({ ...call, sid }, number),
      ...recorder?.listener
    })
    const held = yield* conversations.hold({ ...call, takesOver: true, line })
    // The process that has the line now records the rest.
    if (held === "over") yield* recorder?.finish ?? Effect.void
  },
  Effect.scoped
)
