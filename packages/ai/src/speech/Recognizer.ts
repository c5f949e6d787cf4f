/**
 * What services of speech recognition have in common: the sound of the contact goes to the service as it comes, and its messages are read
 * until the scope closes. A connection that is lost is replaced; what the contact says meanwhile is heard a little later.
 */
import { type AudioFormat, SpeechToText } from "@outdial/core"
import { type Cause, Deferred, Duration, Effect, Layer, Option, Queue, type Result, type Scope, Stream } from "effect"
import { Socket } from "effect/socket"
import { notValid, reconnected, type ServiceFailure, speechFailed } from "./ServiceFailure.ts"
import * as ServiceSocket from "./ServiceSocket.ts"

export interface Protocol {
  readonly address: (options: SpeechToText.RecognitionOptions) => ServiceSocket.Address
  /** Reads the messages of one conversation. */
  readonly reader: () => Reader
  /** Most frames of 20 ms that are sent in one message. */
  readonly framesTogether: number
  /** What keeps the connection open while there is no sound. */
  readonly keepAlive: (format: AudioFormat.AudioFormat) => string | Uint8Array
}

export type Reading = Result.Result<ReadonlyArray<SpeechToText.RecognitionEvent>, ServiceFailure | undefined>

export interface Reader {
  /** Fails with what the service has reported; with `undefined` if the message is not valid. */
  readonly read: (message: unknown) => Reading
  /** What follows when the connection was lost: the words of the turn so far. */
  readonly lost: () => ReadonlyArray<SpeechToText.RecognitionEvent>
}

/** Frames of 20 ms that wait for a connection: 5 seconds. The oldest are dropped. */
const mostFrames = 250

/** Deepgram ends connections that are silent for 10 seconds. */
const keepAliveAfter = Duration.seconds(4)

/** Most events that wait to be read: a service that reports more is not read meanwhile. */
const mostEvents = 1_000

/** Deepgram's own message for the end of the sound. */
const goodbye = JSON.stringify({ type: "CloseStream" })

/** The service of this protocol. */
export const layer = (protocol: Protocol): Layer.Layer<SpeechToText.SpeechToText, never, Socket.WebSocketConstructor> =>
  Layer.effect(
    SpeechToText.SpeechToText,
    Effect.map(Socket.WebSocketConstructor, (constructor) => ({
      open: (options) => Effect.provideService(open(protocol)(options), Socket.WebSocketConstructor, constructor)
    }))
  )

const open = (protocol: Protocol) =>
  Effect.fnUntraced(function*(
    options: SpeechToText.RecognitionOptions
  ): Effect.fn.Return<
    SpeechToText.Recognition,
    SpeechToText.SpeechFailed,
    Scope.Scope | Socket.WebSocketConstructor
  > {
    const address = protocol.address(options)
    const reader = protocol.reader()
    const keepAlive = protocol.keepAlive(options.format)
    const audio = yield* Queue.sliding<Uint8Array>(mostFrames)
    const events = yield* Queue.bounded<SpeechToText.RecognitionEvent, SpeechToText.SpeechFailed | Cause.Done>(
      mostEvents
    )
    const connected = yield* Deferred.make<void, SpeechToText.SpeechFailed>()

    const hearing = ({ send }: ServiceSocket.Connection) =>
      Queue.takeBetween(audio, 1, protocol.framesTogether).pipe(
        Effect.timeoutOption(keepAliveAfter),
        Effect.flatMap((frames) => send(Option.match(frames, { onNone: () => keepAlive, onSome: joined }))),
        Effect.forever
      )

    const reading = ({ next }: ServiceSocket.Connection) =>
      next.pipe(
        Effect.flatMap((message) => Effect.fromResult(reader.read(message))),
        Effect.mapError((failure) => failure ?? notValid(address.service)),
        Effect.flatMap((heard) => Queue.offerAll(events, heard)),
        Effect.forever
      )

    const session = Effect.scoped(Effect.gen(function*() {
      const connection = yield* ServiceSocket.connect(address)
      yield* Effect.addFinalizer(() => Effect.ignore(connection.send(goodbye)))
      yield* Deferred.succeed(connected, undefined)
      return yield* Effect.raceFirst(hearing(connection), reading(connection))
    }))

    yield* Effect.addFinalizer(() => Queue.end(events))
    yield* reconnected(session, Effect.suspend(() => Effect.asVoid(Queue.offerAll(events, reader.lost())))).pipe(
      Effect.catch((failure) => {
        const error = speechFailed(failure)
        return Effect.andThen(Deferred.fail(connected, error), Queue.fail(events, error))
      }),
      Effect.forkScoped
    )
    yield* Deferred.await(connected)
    return {
      hear: (frame) => Effect.asVoid(Queue.offer(audio, frame)),
      events: Stream.fromQueue(events)
    }
  })

const joined = (frames: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = frames
  if (frames.length === 1 && only !== undefined) return only
  const all = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    all.set(frame, at)
    at += frame.length
  }
  return all
}
